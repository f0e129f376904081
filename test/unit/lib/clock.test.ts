import { describe, expect, test } from "@jest/globals";
import { type Clock, systemClock } from "../../../src/lib/clock.js";
import { FakeClock, settle } from "../../support/fake-clock.js";

const NEVER = new AbortController().signal;

// The same contract for the real clock and for the one that tests own; `pass` lets so much time go by.
const clocks: readonly { readonly name: string; make: () => { readonly clock: Clock; readonly pass: (ms: number) => Promise<void> } }[] = [
  {
    name: "systemClock",
    make: () => ({ clock: systemClock, pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms + 5)) }),
  },
  {
    name: "FakeClock",
    make() {
      const clock = new FakeClock();
      return { clock, pass: (ms) => clock.advance(ms) };
    },
  },
];

describe.each(clocks)("$name", ({ make }) => {
  test("sleep() resolves when the time has passed", async () => {
    const { clock, pass } = make();
    const startMs = clock.monotonicMs();
    const slept = clock.sleep(10, NEVER).then(() => clock.monotonicMs() - startMs);
    await pass(10);
    expect(await slept).toBeGreaterThanOrEqual(9); // Node's timers may be a fraction of a millisecond early
  });

  test("sleep() rejects with the signal's reason as soon as it aborts", async () => {
    const { clock } = make();
    const stop = new AbortController();
    const sleep = clock.sleep(60_000, stop.signal);
    const reason = new Error("enough");
    stop.abort(reason);
    await expect(sleep).rejects.toBe(reason);
  });

  test("sleep() rejects at once on a signal that has aborted", async () => {
    const { clock } = make();
    const reason = new Error("too late");
    await expect(clock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test("schedule() calls back once, and not at all when cancelled", async () => {
    const { clock, pass } = make();
    const calls: string[] = [];
    clock.schedule(5, () => calls.push("kept"));
    const cancel = clock.schedule(5, () => calls.push("cancelled"));
    cancel();
    await pass(5);
    cancel();
    await pass(5);
    expect(calls).toEqual(["kept"]);
  });

  test("monotonicMs() never goes back", async () => {
    const { clock, pass } = make();
    const before = clock.monotonicMs();
    await pass(2);
    expect(clock.monotonicMs()).toBeGreaterThan(before);
  });
});

describe("systemClock", () => {
  test("does not fire a timer at once that is longer than Node's timers can be", async () => {
    let hasFired = false;
    const cancel = systemClock.schedule(2 ** 31 + 1, () => (hasFired = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    cancel();
    expect(hasFired).toBe(false);
  });

  test("nowMs() is the wall clock", () => {
    expect(Math.abs(systemClock.nowMs() - Date.now())).toBeLessThan(1_000);
  });
});

describe("FakeClock", () => {
  test("moves only when told, and tells each timer its own time", async () => {
    const clock = new FakeClock(1_000);
    const seen: number[] = [];
    clock.schedule(30, () => seen.push(clock.nowMs()));
    clock.schedule(10, () => seen.push(clock.nowMs()));
    await settle();
    expect([clock.nowMs(), seen]).toEqual([1_000, []]);
    await clock.advance(29);
    expect([clock.nowMs(), seen]).toEqual([1_029, [1_010]]);
    await clock.advance(1);
    expect([clock.nowMs(), clock.monotonicMs(), seen]).toEqual([1_030, 30, [1_010, 1_030]]);
  });

  test("fires timers that are set while it moves, if they become due", async () => {
    const clock = new FakeClock(0);
    const seen: number[] = [];
    const again = (): void => {
      seen.push(clock.nowMs());
      clock.schedule(10, again);
    };
    clock.schedule(10, again);
    await clock.advance(35);
    expect(seen).toEqual([10, 20, 30]);
  });

  test("lets pending code run before, between and after timers", async () => {
    const clock = new FakeClock(0);
    const stop = new AbortController();
    const seen: number[] = [];
    const loop = async (): Promise<void> => {
      await Promise.resolve();
      for (;;) {
        await clock.sleep(10, stop.signal);
        await Promise.resolve();
        seen.push(clock.nowMs());
      }
    };
    const running = loop();
    await clock.advance(20);
    expect(seen).toEqual([10, 20]);
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
  });

  test("fires timers of one moment in the order in which they were set", async () => {
    const clock = new FakeClock(0);
    const seen: string[] = [];
    clock.schedule(5, () => seen.push("first"));
    clock.schedule(5, () => seen.push("second"));
    clock.schedule(-1, () => seen.push("overdue"));
    await clock.advance(5);
    expect(seen).toEqual(["overdue", "first", "second"]);
  });
});
