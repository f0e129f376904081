import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { silentLogger } from "../../../src/lib/logger.js";
import { createHealthServer, parseListenAddress, type HealthServer } from "../../../src/observe/health-server.js";
import { createMetrics } from "../../../src/observe/metrics.js";

describe("the health server", () => {
  let server: HealthServer;
  let problem: string | undefined;
  const stop = new AbortController();
  let ended: Promise<void>;

  beforeEach(async () => {
    const metrics = createMetrics({ version: "1.2.3", nodeVersion: "v20", component: "agent" });
    metrics.counter({ name: "podmend_restarts_total", help: "Restarts.", labels: ["result"], zero: [{ result: "stopped" }] });
    const checks = [
      { name: "runtime", problem: () => problem },
      { name: "node-images-synced", problem: () => undefined },
    ];
    server = createHealthServer({ address: "127.0.0.1:0", checks, metrics, version: "1.2.3", logger: silentLogger });
    await server.start();
    ended = server.run(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await ended;
  });

  test("serves liveness, readiness by check, metrics and version", async () => {
    const base = `http://127.0.0.1:${server.address().port}`;
    const get = async (path: string): Promise<[number, string]> => {
      const response = await fetch(base + path, { headers: { connection: "close" } });
      return [response.status, await response.text()];
    };
    problem = "no socket under /run";
    expect(await get("/livez")).toEqual([200, "ok"]);
    expect(await get("/healthz")).toEqual([200, "ok"]);
    expect(await get("/readyz")).toEqual([503, "[-]runtime failed: no socket under /run\n[+]node-images-synced ok\nreadyz check failed\n"]);
    problem = undefined;
    expect(await get("/readyz")).toEqual([200, "ok"]);
    expect(await get("/readyz?verbose")).toEqual([200, "[+]runtime ok\n[+]node-images-synced ok\nreadyz check passed\n"]);
    const [status, metrics] = await get("/metrics");
    expect(status).toBe(200);
    expect(metrics).toContain('podmend_build_info{version="1.2.3",node_version="v20",component="agent"} 1');
    expect(metrics).toContain('podmend_restarts_total{result="stopped"} 0');
    expect(metrics).not.toContain("nodejs_active_handles_total");
    expect((await get("/version"))[1]).toContain('"version":"1.2.3"');
    expect((await get("/nope"))[0]).toBe(404);
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
