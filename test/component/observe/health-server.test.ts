import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { silentLogger } from "../../../src/lib/logger.js";
import { createHealthServer, parseListenAddress, type HealthServer } from "../../../src/observe/health-server.js";
import { createMetrics, type MetricsRegistry } from "../../../src/observe/metrics.js";
import { expectNothingLeft, openResources } from "../../support/resources-left.js";

const VERSION = "1.2.3";

describe("the health server", () => {
  let server: HealthServer;
  let metrics: MetricsRegistry;
  let problem: string | undefined;
  let stop: AbortController;
  let ended: Promise<void>;
  let baseline: Readonly<Record<string, number>>;

  beforeEach(async () => {
    baseline = openResources();
    metrics = createMetrics({ version: VERSION, nodeVersion: "v20", component: "agent" });
    metrics.counter({ name: "podmend_restarts_total", help: "Restarts.", labels: ["result"], zero: [{ result: "stopped" }] });
    const checks = [
      { name: "runtime", problem: () => problem },
      { name: "node-images-synced", problem: () => undefined },
    ];
    server = createHealthServer({ address: "127.0.0.1:0", checks, metrics, version: VERSION, logger: silentLogger });
    await server.start();
    stop = new AbortController();
    ended = server.run(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await ended;
    await expectNothingLeft(baseline);
  });

  /** Sends the path as it is, which a URL-minded client would not. */
  function send(path: string, method = "GET"): Promise<readonly [status: number, body: string]> {
    return new Promise((resolve, reject) => {
      const { host, port } = server.address();
      const sent = request({ host, port, path, method, agent: false }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => (body += text));
        response.once("end", () => resolve([response.statusCode ?? 0, body]));
      });
      sent.once("error", reject);
      sent.end();
    });
  }

  test.each(["/livez", "/healthz"])("says that the process is alive on %s, whatever is missing", async (path) => {
    problem = "no socket under /run";
    expect(await send(path)).toEqual([200, "ok"]);
  });

  test("lists its readiness checks when one fails, or when asked to", async () => {
    problem = "no socket under /run";
    expect(await send("/readyz")).toEqual([
      503,
      "[-]runtime failed: no socket under /run\n[+]node-images-synced ok\nreadyz check failed\n",
    ]);
    problem = undefined;
    expect(await send("/readyz")).toEqual([200, "ok"]);
    expect(await send("/readyz?verbose")).toEqual([200, "[+]runtime ok\n[+]node-images-synced ok\nreadyz check passed\n"]);
  });

  test("serves metrics and version", async () => {
    const [status, text] = await send("/metrics");
    expect(status).toBe(200);
    expect(text).toContain(`podmend_build_info{version="${VERSION}",node_version="v20",component="agent"} 1`);
    expect(text).toContain('podmend_restarts_total{result="stopped"} 0');
    expect(await send("/version")).toEqual([200, expect.stringContaining(`"version":"${VERSION}"`)]);
  });

  test.each(["/nope", "//", "/livez/", "http://elsewhere/livez", "*", "/%zz", "/readyz/../livez"])(
    "knows nothing of %s, and lives on",
    async (path) => {
      expect((await send(path))[0]).toBe(404);
      expect(await send("/livez")).toEqual([200, "ok"]);
    },
  );

  test("takes GET and HEAD only", async () => {
    expect(await send("/livez", "HEAD")).toEqual([200, ""]);
    for (const method of ["POST", "PUT", "DELETE"]) expect((await send("/livez", method))[0]).toBe(405);
  });

  test("answers 500 when metrics cannot be collected, and lives on", async () => {
    metrics.render = () => Promise.reject(new Error("broken collector"));
    expect(await send("/metrics")).toEqual([500, "internal error\n"]);
    expect(await send("/livez")).toEqual([200, "ok"]);
  });

  test("ends although a client keeps its connection open", async () => {
    const { host, port } = server.address();
    const response = await fetch(`http://${host}:${port}/livez`); // kept alive
    await response.text();
    stop.abort();
    await ended;
    expect(() => server.address()).toThrow(/does not listen/);
  });
});

describe("a health server whose port is taken", () => {
  test("names the address when it starts", async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, "127.0.0.1", resolve));
    const address = `127.0.0.1:${(squatter.address() as AddressInfo).port}`;
    const metrics = createMetrics({ version: VERSION, nodeVersion: "v20", component: "agent" });
    const server = createHealthServer({ address, checks: [], metrics, version: VERSION, logger: silentLogger });
    await expect(server.start()).rejects.toMatchObject({
      code: "HEALTH_CANNOT_LISTEN",
      message: `Cannot listen on "${address}": another process listens there`,
    });
    await new Promise((resolve) => squatter.close(resolve));
  });
});

describe("parseListenAddress()", () => {
  test.each([
    { text: ":10221", want: { host: "", port: 10221 } },
    { text: "127.0.0.1:80", want: { host: "127.0.0.1", port: 80 } },
    { text: "[::1]:80", want: { host: "::1", port: 80 } },
  ])("reads $text", ({ text, want }) => expect(parseListenAddress(text)).toEqual(want));
  test.each(["10221", ":x", ":70000", "::1:80"])("refuses %s", (text) =>
    expect(() => parseListenAddress(text)).toThrow(/invalid listen address/),
  );
});
