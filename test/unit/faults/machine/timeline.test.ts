import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Timeline } from "../../../faults/machine/timeline.js";

const settle = (): Promise<void> => Promise.resolve();

describe("Timeline", () => {
  test("runs events in order of time, and those of one moment in the order in which they were scheduled", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }), async (delays) => {
        const timeline = new Timeline();
        const ran: [number, number][] = [];
        for (const [index, delayMs] of delays.entries()) timeline.after(delayMs, () => ran.push([timeline.nowMs, index]));
        await timeline.runUntil(20, settle);
        const wanted = delays.map((delayMs, index): [number, number] => [delayMs, index]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        expect(ran).toEqual(wanted);
      }),
    );
  });

  test("at() keeps the order of what is due together, whenever it was scheduled: after() with a difference need not", async () => {
    const timeline = new Timeline();
    const seen: string[] = [];
    const dueMs = 120.8;
    for (const [at, name] of [0.1, 0.7, 33.3, 41.9, 99.99].map((at) => [at, String(at)] as const))
      timeline.after(at, () => void timeline.at(dueMs, () => void seen.push(name)));
    await timeline.runUntil(200, settle);
    expect(seen).toEqual(["0.1", "0.7", "33.3", "41.9", "99.99"]);
  });

  test("stops at its end, keeps what is later, and runs nothing that was cancelled", async () => {
    const timeline = new Timeline();
    const ran: string[] = [];
    timeline.after(5, () => ran.push("five"));
    timeline.after(15, () => ran.push("fifteen"));
    const cancel = timeline.after(6, () => ran.push("cancelled"));
    timeline.after(5.5, cancel);
    await timeline.runUntil(10, settle);
    expect([ran, timeline.nowMs]).toEqual([["five"], 10]);
    await timeline.runUntil(20, settle);
    expect(ran).toEqual(["five", "fifteen"]);
  });

  test("ends after the event that makes it done, at that event's time", async () => {
    const timeline = new Timeline();
    let count = 0;
    for (const delayMs of [1, 2, 3]) timeline.after(delayMs, () => count++);
    await timeline.runUntil(10, settle, () => count === 2);
    expect([count, timeline.nowMs]).toEqual([2, 2]);
  });
});
