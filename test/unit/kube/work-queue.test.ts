import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { WorkQueue } from "../../../src/kube/work-queue.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { FakeClock, settle } from "../../support/fake-clock.js";

const noJitter = { next: () => 0, hex: () => "" };

function makeQueue(clock = new FakeClock()): WorkQueue {
  return new WorkQueue({ name: "test", backoff: { initialMs: 100, maxMs: 1_000 }, clock, random: noJitter, metrics: silentMetrics });
}

const never = new AbortController().signal;

describe("WorkQueue", () => {
  test("hands keys out in order, each once", async () => {
    const queue = makeQueue();
    for (const key of ["a", "b", "a"]) queue.add(key);
    expect([await queue.get(never), await queue.get(never)]).toEqual(["a", "b"]);
    expect(queue.depth()).toBe(0);
  });

  test("a key added while it is worked on comes again only after done()", async () => {
    const queue = makeQueue();
    queue.add("a");
    await queue.get(never);
    queue.add("a");
    queue.add("a");
    expect(queue.depth()).toBe(0);
    queue.done("a");
    expect(queue.depth()).toBe(1);
    await queue.get(never);
    queue.done("a");
    expect(queue.depth()).toBe(0);
  });

  test("a waiting get() takes the next key; an aborted one rejects and takes none", async () => {
    const queue = makeQueue();
    const stop = new AbortController();
    const reason = new Error("stop");
    const [first, second] = [queue.get(stop.signal), queue.get(never)];
    stop.abort(reason);
    await expect(first).rejects.toBe(reason);
    queue.add("a");
    expect(await second).toBe("a");
    await expect(queue.get(stop.signal)).rejects.toBe(reason);
  });

  test("addAfter() adds when due; an earlier one stays, a later one is replaced", async () => {
    const clock = new FakeClock();
    const queue = makeQueue(clock);
    queue.addAfter("a", 100);
    queue.addAfter("a", 500);
    queue.addAfter("b", 500);
    queue.addAfter("b", 100);
    await clock.advance(99);
    expect(queue.depth()).toBe(0);
    await clock.advance(1);
    expect(queue.depth()).toBe(2);
    await clock.advance(1_000);
    expect(queue.depth()).toBe(2);
  });

  test("addAfter() of nothing adds at once", () => {
    const queue = makeQueue();
    queue.addAfter("a", 0);
    expect(queue.depth()).toBe(1);
  });

  test("addRateLimited() grows per key until forget()", () => {
    const queue = makeQueue();
    expect([1, 2, 3, 4, 5, 6].map(() => queue.addRateLimited("a"))).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(queue.addRateLimited("b")).toBe(100);
    queue.forget("a");
    expect(queue.addRateLimited("a")).toBe(100);
    expect(queue.addRateLimited("c", 5_000)).toBe(5_000);
  });

  test("all keys together retry ten times a second after a burst of a hundred", () => {
    const queue = makeQueue();
    const delays = Array.from({ length: 130 }, (_, index) => queue.addRateLimited(`k${index}`));
    expect(delays[99]).toBe(100);
    expect(Math.round(delays[129] ?? 0)).toBe(3_000);
  });

  test("close() drops what is delayed", async () => {
    const clock = new FakeClock();
    const queue = makeQueue(clock);
    queue.addAfter("a", 100);
    queue.close();
    await clock.advance(1_000);
    expect(queue.depth()).toBe(0);
  });

  test("under any mix of adds and workers: no key twice at a time, none lost, each change is seen", async () => {
    const action = fc.oneof(
      fc.record({ type: fc.constant("add" as const), key: fc.constantFrom("a", "b", "c") }),
      fc.record({ type: fc.constant("addAfter" as const), key: fc.constantFrom("a", "b", "c"), delayMs: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ type: fc.constant("pass" as const), byMs: fc.integer({ min: 1, max: 20 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (actions, workers) => {
        const clock = new FakeClock();
        const queue = makeQueue(clock);
        const stop = new AbortController();
        const working = new Set<string>();
        const wanted = new Map<string, number>();
        const seen = new Map<string, number>();
        const work = async (): Promise<void> => {
          for (;;) {
            const key = await queue.get(stop.signal);
            expect(working.has(key)).toBe(false);
            working.add(key);
            seen.set(key, wanted.get(key) ?? 0); // read the world at the start, as a reconciler does
            await clock.sleep(7, stop.signal);
            working.delete(key);
            queue.done(key);
          }
        };
        const running = Array.from({ length: workers }, () => work().catch((error: unknown) => error));
        for (const step of actions) {
          if (step.type !== "pass") wanted.set(step.key, (wanted.get(step.key) ?? 0) + 1);
          if (step.type === "add") queue.add(step.key);
          if (step.type === "addAfter") queue.addAfter(step.key, step.delayMs);
          if (step.type === "pass") await clock.advance(step.byMs);
        }
        await clock.advance(1_000);
        expect(seen).toEqual(wanted);
        expect(queue.depth()).toBe(0);
        const reason = new Error("done");
        stop.abort(reason);
        await settle();
        expect(await Promise.all(running)).toEqual(running.map(() => reason));
      }),
      { numRuns: 60 },
    );
  });
});
