import { describe, expect, test } from "@jest/globals";
import { processClock } from "../../../faults/machine/host-clock.js";
import { Incarnation } from "../../../faults/machine/incarnation.js";
import { Timeline } from "../../../faults/machine/timeline.js";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("Incarnation", () => {
  test("lets nothing happen in a process that has crashed: no timer, no signal's listener, no finally", async () => {
    const timeline = new Timeline();
    const life = new Incarnation("agent#1");
    const clock = processClock(timeline, { offsetMs: 0, rate: 1 }, life);
    const seen: string[] = [];
    const work = async (): Promise<void> => {
      try {
        await clock.sleep(10, new AbortController().signal);
        seen.push("woke");
      } finally {
        seen.push("finally");
      }
    };
    void work();
    timeline.after(5, () => life.crash());
    await timeline.runUntil(20, settle);
    expect(seen).toEqual([]);
    expect(life.isAlive).toBe(false);
  });

  test("keeps what comes while it is paused, in order, and tells the kernel's side of a crash once", () => {
    const life = new Incarnation("agent#1");
    const seen: string[] = [];
    life.onEnd(() => seen.push("ended"));
    life.pause();
    life.deliver(() => seen.push("a"));
    life.deliver(() => seen.push("b"));
    expect(seen).toEqual([]);
    for (const act of life.resume()) life.deliver(act);
    life.crash();
    life.crash();
    life.deliver(() => seen.push("late"));
    expect(seen).toEqual(["a", "b", "ended"]);
  });
});
