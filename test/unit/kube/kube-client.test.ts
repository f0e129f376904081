import { describe, expect, test } from "@jest/globals";
import type { KubeObject } from "../../../src/api/meta.js";
import { NODES, PODS } from "../../../src/api/resources.js";
import type { KubeClient } from "../../../src/kube/client.js";
import { createKubeClient } from "../../../src/kube/kube-client.js";
import { createInformer } from "../../../src/kube/reflector.js";
import { type Wire, WireError, type WireRequest, type WireResponse } from "../../../src/kube/wire.js";
import { silentLogger } from "../../../src/lib/logger.js";
import type { MetricLabels, Metrics } from "../../../src/lib/metrics.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { FakeClock, settle } from "../../support/fake-clock.js";

type Answer = (request: WireRequest, signal: AbortSignal) => Promise<WireResponse> | WireResponse;

/** A wire of bytes only: what a simulation replaces. Answers in order; afterwards it is unreachable. */
class ScriptedWire implements Wire {
  readonly requests: WireRequest[] = [];
  readonly #answers: Answer[];

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  async send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    this.requests.push(request);
    const answer = this.#answers.shift();
    if (answer === undefined) throw new WireError("unreachable", "nobody is there");
    return answer(request, signal);
  }

  async close(): Promise<void> {
    // nothing is open
  }
}

async function* bytes(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

const reply =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  () => ({ status, headers, body: bytes(typeof body === "string" ? body : JSON.stringify(body)) });

/** Headers come, or not, and then nothing; ends only by the signal. */
const silence =
  (hasHeaders: boolean): Answer =>
  async (_request, signal) => {
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
    );
    if (!hasHeaders) return aborted;
    return {
      status: 200,
      headers: {},
      body: (async function* (): AsyncGenerator<Uint8Array> {
        yield* bytes("");
        await aborted;
      })(),
    };
  };

function connect(
  wire: Wire,
  options: { qps?: number; metrics?: Metrics } = {},
): { readonly client: KubeClient; readonly clock: FakeClock } {
  const clock = new FakeClock();
  const client = createKubeClient({
    wire,
    credentials: { authorization: async () => "Bearer t", renew: () => undefined, tls: async () => ({}) },
    component: "agent",
    version: "1.2.3",
    clock,
    random: { next: () => 0, hex: () => "" },
    metrics: silentMetrics,
    ...options,
  });
  return { client, clock };
}

const signal = new AbortController().signal;
const node = { metadata: { name: "n", resourceVersion: "5" } };

describe("createKubeClient() on a wire of bytes", () => {
  test("says who it is and what it takes", async () => {
    const wire = new ScriptedWire(reply(200, node));
    await connect(wire).client.get(NODES, { name: "n" }, signal);
    expect(wire.requests[0]).toEqual({
      method: "GET",
      path: "/api/v1/nodes/n",
      headers: { accept: "application/json", "user-agent": "podmend/1.2.3 (agent)", authorization: "Bearer t" },
    });
  });

  test("an answer that is no JSON is a bad reply", async () => {
    await expect(connect(new ScriptedWire(reply(200, "<html>"))).client.get(NODES, { name: "n" }, signal)).rejects.toMatchObject({
      kind: "transient",
      code: "KUBE_BAD_REPLY",
      message: 'Cannot get Node "n": the answer is not JSON',
    });
  });

  test("sends again after Retry-After on the clock that it was given, and within 30 s altogether", async () => {
    const busy = reply(503, { kind: "Status", reason: "ServiceUnavailable" }, { "retry-after": "9" });
    const wire = new ScriptedWire(busy, busy, busy, busy);
    const { client, clock } = connect(wire);
    const failed = client.get(NODES, { name: "n" }, signal).catch((error: unknown) => error);
    await clock.advance(27_000);
    expect(wire.requests.length).toBe(4);
    expect(await failed).toMatchObject({ code: "KUBE_UNAVAILABLE", retryAfterMs: 9_000 }); // a fifth try would come too late
  });

  test("no connection is tried again, also for a write", async () => {
    const refused: Answer = () => Promise.reject(new WireError("unreachable", "refused"));
    const wire = new ScriptedWire(refused, refused, reply(201, node));
    const { client, clock } = connect(wire);
    const made = client.create(NODES, { metadata: { name: "n" } }, signal);
    await clock.advance(600);
    expect(await made).toEqual(node);
  });

  test("a request without an answer ends after 30 s", async () => {
    const { client, clock } = connect(new ScriptedWire(silence(false)));
    const failed = client.get(NODES, { name: "n" }, signal).catch((error: unknown) => error);
    await clock.advance(29_999);
    await clock.advance(1);
    expect(await failed).toMatchObject({ kind: "transient", code: "KUBE_DEADLINE" });
  });

  test("a watch whose server forgets to end it ends by itself in good order; one that never begins fails", async () => {
    const { client, clock } = connect(new ScriptedWire(silence(true), silence(false)));
    const watch = async (): Promise<string> => {
      for await (const event of client.watch(PODS, { resourceVersion: "1", timeoutSeconds: 300 }, signal)) return event.type;
      return "in good order";
    };
    const first = watch();
    await clock.advance(329_999);
    await clock.advance(1);
    expect(await first).toBe("in good order");
    const second = watch().catch((error: unknown) => error);
    await clock.advance(30_000);
    expect(await second).toMatchObject({ code: "KUBE_DEADLINE" });
  });

  test("sends forty requests at once, then twenty a second", async () => {
    const answers = Array.from({ length: 100 }, () => reply(200, node));
    const wire = new ScriptedWire(...answers);
    const { client, clock } = connect(wire);
    const all = Promise.all(Array.from({ length: 60 }, () => client.get(NODES, { name: "n" }, signal)));
    await settle();
    expect(wire.requests.length).toBe(40);
    await clock.advance(500);
    expect(wire.requests.length).toBe(50);
    await clock.advance(500);
    await all;
  });

  test("counts requests by status and method", async () => {
    const counted: (MetricLabels | undefined)[] = [];
    const metrics = { ...silentMetrics, counter: () => ({ increment: (labels?: MetricLabels) => void counted.push(labels) }) };
    const lost: Answer = () => Promise.reject(new WireError("broken", "lost"));
    const { client, clock } = connect(new ScriptedWire(lost, reply(404, "404 page not found")), { metrics });
    const failed = client.get(NODES, { name: "n" }, signal).catch((error: unknown) => error);
    await clock.advance(200);
    await failed;
    expect(counted).toEqual([
      { code: "<error>", method: "GET" },
      { code: "404", method: "GET" },
    ]);
  });

  test("carries a whole informer: list, watch in pieces, lost connection, resume", async () => {
    const event = (name: string, version: string): string =>
      `${JSON.stringify({ type: "ADDED", object: { metadata: { name, resourceVersion: version } } })}\n`;
    const breaks: Answer = () => ({
      status: 200,
      headers: {},
      body: (async function* (): AsyncGenerator<Uint8Array> {
        yield* bytes(event("ä", "11"), 1);
        throw new WireError("broken", "lost");
      })(),
    });
    const wire = new ScriptedWire(reply(200, { metadata: { resourceVersion: "10" }, items: [] }), breaks, (request, stop) => {
      expect(request.path).toContain("resourceVersion=11");
      return silence(true)(request, stop);
    });
    const { client, clock } = connect(wire);
    const random = { next: () => 0, hex: () => "" };
    const informer = createInformer<KubeObject>({ resource: PODS, client, clock, random, logger: silentLogger, metrics: silentMetrics });
    const stop = new AbortController();
    const ended = informer.run(stop.signal).catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(informer.store.get("ä")).toBeDefined();
    expect(informer.lastFailure()).toBeUndefined();
    expect(wire.requests.length).toBe(3);
    stop.abort(new Error("done"));
    await ended;
  });
});
