import { describe, expect, test } from "@jest/globals";
import { Alarm } from "../../../../src/agent/container-restart/alarm.js";
import { FakeClock } from "../../../support/fake-clock.js";

function ringing(alarm: Alarm, clock: FakeClock): { rangAtMs: number | undefined } {
  const result: { rangAtMs: number | undefined } = { rangAtMs: undefined };
  void alarm.ring(new AbortController().signal).then(() => {
    result.rangAtMs = clock.monotonicMs();
  });
  return result;
}

describe("Alarm", () => {
  test("rings at the earliest time asked for, once", async () => {
    const clock = new FakeClock();
    const alarm = new Alarm(clock);
    const first = ringing(alarm, clock);
    alarm.setNoLaterThan(5_000);
    alarm.setNoLaterThan(2);
    alarm.setNoLaterThan(1_000);
    await clock.advance(10_000);
    expect(first.rangAtMs).toBe(2);
    const second = ringing(alarm, clock);
    await clock.advance(10_000);
    expect(second.rangAtMs).toBeUndefined();
  });

  test("remembers what was asked for while nobody slept", async () => {
    const clock = new FakeClock();
    const alarm = new Alarm(clock);
    alarm.setNoLaterThan(10);
    await clock.advance(500);
    const ring = ringing(alarm, clock);
    await clock.advance(0);
    expect(ring.rangAtMs).toBe(500);
  });

  test("does not ring during a hold", async () => {
    const clock = new FakeClock();
    const alarm = new Alarm(clock);
    alarm.holdFor(100);
    alarm.setNoLaterThan(2);
    const ring = ringing(alarm, clock);
    await clock.advance(99);
    expect(ring.rangAtMs).toBeUndefined();
    await clock.advance(1);
    expect(ring.rangAtMs).toBe(100);
  });

  test("rejects when the signal aborts", async () => {
    const stop = new AbortController();
    const ring = new Alarm(new FakeClock()).ring(stop.signal);
    stop.abort(new Error("stop"));
    await expect(ring).rejects.toThrow("stop");
  });
});
