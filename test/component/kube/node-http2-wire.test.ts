import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import net, { type AddressInfo } from "node:net";
import { createNodeWire } from "../../../src/kube/node-http2-wire.js";
import { WireError, type Wire, type WireRequest, type WireResponse } from "../../../src/kube/wire.js";
import { systemClock } from "../../../src/lib/clock.js";
import { type ApiServer, type ApiServerOptions, startApiServer } from "../../../src/sim/api-server/api-server.js";
import { NODES } from "../../../src/api/resources.js";
import { eventually } from "../../support/eventually.js";
import { expectNothingLeft, openResources } from "../../support/resources-left.js";

jest.setTimeout(30_000); // machines that run these may be busy

const TIMINGS = { pingAfterMs: 150, pingTimeoutMs: 150, connectTimeoutMs: 1_000 };
const NO_TLS = {};
const CREDENTIALS = { authorization: () => Promise.resolve(undefined), renew: () => undefined, tls: () => Promise.resolve(NO_TLS) };

let server: ApiServer;
let wire: Wire;
let stopping: AbortController;
let baseline: Readonly<Record<string, number>>;

beforeEach(() => {
  baseline = openResources();
  stopping = new AbortController();
});

afterEach(async () => {
  stopping.abort(new Error("the test has ended"));
  await wire.close();
  await server.stop();
  await expectNothingLeft(baseline);
});

async function start(options: ApiServerOptions = {}): Promise<void> {
  server = await startApiServer(options);
  wire = createNodeWire({ server: server.url, credentials: CREDENTIALS, clock: systemClock, timings: TIMINGS });
}

function get(path: string): WireRequest {
  return { method: "GET", path, headers: { accept: "application/json" } };
}

const WATCH = get("/api/v1/nodes?watch=true");

async function text(response: WireResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Collects a watch's text in the background; `ended` tells how it ended. */
function follow(response: WireResponse): { text(): string; readonly ended: Promise<unknown> } {
  let seen = "";
  const ended = (async () => {
    try {
      for await (const chunk of response.body) seen += Buffer.from(chunk).toString("utf8");
      return "in good order";
    } catch (error) {
      return error;
    }
  })();
  return { text: () => seen, ended };
}

describe("createNodeWire()", () => {
  test("sends all requests over one connection", async () => {
    await start();
    const answers = await Promise.all(Array.from({ length: 20 }, async () => text(await wire.send(get("/healthz"), stopping.signal))));
    expect(new Set(answers)).toEqual(new Set(["ok"]));
    expect(server.connectionCount()).toBe(1);
  });

  test("resets no stream that is over, for servers hang up on clients with many resets", async () => {
    await start();
    const ask = async (): Promise<void> => {
      const ended = new AbortController();
      await text(await wire.send(get("/api/v1/nodes/none"), ended.signal));
      ended.abort();
    };
    // Node's own server allows a thousand.
    for (let round = 0; round < 30; round++) await Promise.all(Array.from({ length: 50 }, ask));
    expect(server.connectionTotal()).toBe(1);
  });

  test("sends a body and gives status, headers and body back", async () => {
    await start();
    const body = Buffer.from(JSON.stringify({ metadata: { name: "node1", labels: { a: "ü" } } }));
    const response = await wire.send(
      { method: "POST", path: "/api/v1/nodes", headers: { "content-type": "application/json" }, body },
      stopping.signal,
    );
    expect(response.status).toBe(201);
    expect(response.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(await text(response))).toMatchObject({ metadata: { name: "node1", labels: { a: "ü" } } });
  });

  test("GOAWAY lets a watch go on and takes new requests to a new connection", async () => {
    await start();
    const watch = follow(await wire.send(WATCH, stopping.signal));
    server.goAway();
    await eventually(async () => {
      await text(await wire.send(get("/healthz"), stopping.signal));
      expect(server.connectionCount()).toBe(2);
    });
    server.state.create(NODES, { metadata: { name: "after-goaway" } });
    await eventually(() => expect(watch.text()).toContain("after-goaway"));
    server.endWatches();
    expect(await watch.ended).toBe("in good order");
    await eventually(() => expect(server.connectionCount()).toBe(1));
  });

  test("a half-open connection breaks within the silence and the ping's time", async () => {
    await start();
    const watch = follow(await wire.send(WATCH, stopping.signal));
    const startMs = performance.now();
    server.freeze();
    const end = await watch.ended;
    expect(end).toBeInstanceOf(WireError);
    expect(end).toMatchObject({ failure: "broken", message: expect.stringContaining("no answer to a ping") });
    expect(performance.now() - startMs).toBeLessThan(TIMINGS.pingAfterMs + TIMINGS.pingTimeoutMs + 3_000);
    server.thaw();
    expect(await text(await wire.send(get("/healthz"), stopping.signal))).toBe("ok");
  });

  test("a quiet connection whose other side lives is left alone", async () => {
    await start();
    const watch = follow(await wire.send(WATCH, stopping.signal));
    await new Promise((resolve) => setTimeout(resolve, 4 * TIMINGS.pingAfterMs));
    server.state.create(NODES, { metadata: { name: "late" } });
    await eventually(() => expect(watch.text()).toContain("late"));
    expect(server.connectionCount()).toBe(1);
  });

  test("connecting to a server that accepts and says nothing fails in time", async () => {
    await start();
    server.freeze();
    const startMs = performance.now();
    await expect(wire.send(get("/healthz"), stopping.signal)).rejects.toMatchObject({ failure: "unreachable" });
    expect(performance.now() - startMs).toBeLessThan(TIMINGS.connectTimeoutMs + 3_000);
  });

  test("a server that allows two streams gets more connections instead of waiting requests", async () => {
    await start({ maxConcurrentStreams: 2 });
    const watches = [];
    for (let count = 0; count < 5; count++) watches.push(follow(await wire.send(WATCH, stopping.signal)));
    expect(await text(await wire.send(get("/healthz"), stopping.signal))).toBe("ok");
    expect(server.connectionCount()).toBe(3);
    server.endWatches();
    await Promise.all(watches.map((watch) => watch.ended));
  });

  test.each(["reset", "finish", "stop"] as const)("a watch breaks when the connection goes by %s", async (how) => {
    await start();
    const watch = follow(await wire.send(WATCH, stopping.signal));
    if (how === "reset") server.cut();
    else if (how === "finish") server.finish();
    else await server.stop();
    expect(await watch.ended).toMatchObject({ failure: "broken" });
  });

  test("a request whose connection is reset before the answer breaks", async () => {
    await start();
    server.faults.add({ path: /healthz/ }, { type: "reset" });
    await expect(wire.send(get("/healthz"), stopping.signal)).rejects.toMatchObject({ failure: "broken" });
  });

  test("an unreachable server is named", async () => {
    await start();
    await server.stop();
    const { host } = new URL(server.url);
    await expect(wire.send(get("/healthz"), stopping.signal)).rejects.toMatchObject({
      failure: "unreachable",
      message: expect.stringMatching(new RegExp(`cannot connect to ${host}: .*ECONNREFUSED`)),
    });
  });

  test("a server that speaks no HTTP/2 is reported", async () => {
    await start();
    const other = net.createServer((socket) =>
      socket.on("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).on("error", () => undefined),
    );
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const toOther = createNodeWire({
      server: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
      credentials: CREDENTIALS,
      clock: systemClock,
      timings: TIMINGS,
    });
    await expect(toOther.send(get("/healthz"), stopping.signal)).rejects.toMatchObject({ failure: "unreachable" });
    await toOther.close();
    await new Promise((resolve) => other.close(resolve));
  });

  test("aborting rejects with the signal's reason, before the answer and while the body is read", async () => {
    await start();
    server.faults.add({ path: /healthz/ }, { type: "hang" });
    const first = new AbortController();
    const waiting = wire.send(get("/healthz"), first.signal);
    const watch = follow(await wire.send(WATCH, stopping.signal));
    const reason = new Error("enough");
    first.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    stopping.abort(reason);
    expect(await watch.ended).toBe(reason);
    expect(server.connectionCount()).toBe(1);
  });

  test("an aborted signal sends nothing", async () => {
    await start();
    await expect(wire.send(get("/healthz"), AbortSignal.abort(new Error("no")))).rejects.toThrow("no");
    expect(server.requests).toEqual([]);
  });
});
