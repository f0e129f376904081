import { describe, expect, test } from "@jest/globals";
import { createControlLoop } from "../../../src/kube/control-loop.js";
import type { ReconcileResult } from "../../../src/kube/reconciler.js";
import { OperationError, type FailureKind } from "../../../src/lib/failure.js";
import type { LogFields, Logger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { FakeClock, settle } from "../../support/fake-clock.js";

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

function recordingLogger(lines: Line[]): Logger {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields });
  const logger: Logger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    isDebugEnabled: () => true,
    child: () => logger,
  };
  return logger;
}

/** A loop whose reconciler is `reconcile`; `times` are the moments of its calls. */
function startLoop(reconcile: (key: string, signal: AbortSignal) => Promise<ReconcileResult>, workers = 1) {
  const clock = new FakeClock();
  const lines: Line[] = [];
  const times: number[] = [];
  const stop = new AbortController();
  const loop = createControlLoop({
    name: "test",
    workers,
    waitFor: [],
    clock,
    random: { next: () => 0, hex: (length) => "0".repeat(length) },
    logger: recordingLogger(lines),
    metrics: silentMetrics,
    reconciler: {
      reconcile: (key, signal) => {
        times.push(clock.monotonicMs());
        return reconcile(key, signal);
      },
    },
  });
  const ended = loop.run(stop.signal).then(
    () => "ended",
    (error: unknown) => error,
  );
  return { clock, lines, times, stop, loop, ended };
}

function failure(kind: FailureKind, retryAfterMs?: number): OperationError {
  return new OperationError(kind, "KUBE_TEST", "Cannot test: it fails", retryAfterMs === undefined ? {} : { retryAfterMs });
}

describe("createControlLoop() after a failure", () => {
  test.each([
    { kind: "transient", wantMs: [0, 200, 600, 1_400], level: "warn" },
    { kind: "conflict", wantMs: [0, 20, 60, 140], level: "debug" },
    { kind: "missing", wantMs: [0], level: "debug" },
    { kind: "invalid", wantMs: [0, 300_000, 600_000, 900_000], level: "error" },
    { kind: "denied", wantMs: [0, 20_000, 40_000, 60_000], level: "error" },
    { kind: "unsupported", wantMs: [0, 60_000, 120_000, 180_000], level: "warn" },
  ] as const)("of kind $kind comes back after $wantMs and logs one $level line a time", async ({ kind, wantMs, level }) => {
    const { clock, lines, times, loop } = startLoop(() => Promise.reject(failure(kind)));
    loop.queue.add("shop/web");
    await clock.advance(wantMs.at(-1) ?? 0);
    expect(times).toEqual(wantMs);
    expect(lines.map((line) => line.level)).toEqual(wantMs.map(() => level));
    expect(lines[0]).toMatchObject({
      message: "Reconcile fails",
      fields: { key: "shop/web", attempt: 1, reconcileId: "00000000", failure: { kind } },
    });
  });

  test("waits as long as the other side asked", async () => {
    const { clock, times, loop } = startLoop(() => Promise.reject(failure("transient", 5_000)));
    loop.queue.add("a");
    await clock.advance(5_000);
    expect(times).toEqual([0, 5_000]);
  });

  test("that is a bug backs off, logs the stack and keeps the loop", async () => {
    const { clock, lines, times, loop } = startLoop((key) => (key === "bad" ? Promise.reject(new TypeError("oops")) : Promise.resolve({})));
    loop.queue.add("bad");
    loop.queue.add("good");
    await clock.advance(200);
    expect(times).toEqual([0, 0, 200]);
    expect(lines[0]).toMatchObject({
      level: "error",
      fields: { failure: { kind: "bug", message: "oops" }, stack: expect.stringContaining("TypeError") },
    });
  });

  test("counts from anew once it has succeeded", async () => {
    let fails = true;
    const { clock, times, loop } = startLoop(() => (fails ? Promise.reject(failure("transient")) : Promise.resolve({})));
    loop.queue.add("a");
    await clock.advance(200);
    fails = false;
    await clock.advance(400);
    fails = true;
    loop.queue.add("a");
    await clock.advance(200);
    expect(times).toEqual([0, 200, 600, 600, 800]);
  });
});

describe("createControlLoop()", () => {
  test("comes back when the reconciler asks for it", async () => {
    const { clock, times, loop } = startLoop(() => Promise.resolve({ requeueAfterMs: 1_000 }));
    loop.queue.add("a");
    await clock.advance(2_000);
    expect(times).toEqual([0, 1_000, 2_000]);
  });

  test("on abort ends after the reconciles in progress, without a log line", async () => {
    let isWorking = false;
    const { lines, loop, stop, ended } = startLoop(async (_key, signal) => {
      isWorking = true;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await settle(); // tidies up
      isWorking = false;
      throw signal.reason as Error;
    });
    loop.queue.add("a");
    await settle();
    expect(isWorking).toBe(true);
    stop.abort(new Error("shutdown"));
    await ended;
    expect(isWorking).toBe(false);
    expect(lines).toEqual([]);
  });

  test("works on as many keys at a time as it has workers, never twice on one", async () => {
    const { clock, times, loop } = startLoop(async (_key, signal) => {
      await clock.sleep(100, signal);
      return {};
    }, 2);
    for (const key of ["a", "b", "c"]) loop.queue.add(key);
    await clock.advance(0);
    loop.queue.add("a");
    await clock.advance(100);
    expect(times).toEqual([0, 0, 100, 100]);
  });

  test("processes nothing before its caches have synced", async () => {
    const clock = new FakeClock();
    const calls: string[] = [];
    let sync: () => void = () => undefined;
    const synced = new Promise<void>((resolve) => {
      sync = resolve;
    });
    const loop = createControlLoop({
      name: "test",
      workers: 1,
      waitFor: [{ waitForSync: () => synced }],
      clock,
      random: { next: () => 0, hex: () => "" },
      logger: recordingLogger([]),
      metrics: silentMetrics,
      reconciler: {
        reconcile: async (key) => {
          calls.push(key);
          return {};
        },
      },
    });
    const stop = new AbortController();
    const ended = loop.run(stop.signal);
    loop.queue.add("a");
    await settle();
    expect(calls).toEqual([]);
    sync();
    await settle();
    expect(calls).toEqual(["a"]);
    stop.abort(new Error("done"));
    await ended;
  });
});
