import { describe, expect, test } from "@jest/globals";
import { DeadlinePassed, startDeadline } from "../../../src/kube/deadline.js";
import { FakeClock } from "../../support/fake-clock.js";

describe("startDeadline()", () => {
  test("aborts when time is up, not before", async () => {
    const clock = new FakeClock();
    const deadline = startDeadline(clock, 100, new AbortController().signal);
    await clock.advance(99);
    expect(deadline.signal.aborted).toBe(false);
    expect(deadline.leftMs()).toBe(1);
    await clock.advance(1);
    expect(deadline.signal.reason).toBeInstanceOf(DeadlinePassed);
  });

  test("follows its parent with the parent's reason, also one that has aborted already", () => {
    const parent = new AbortController();
    const deadline = startDeadline(new FakeClock(), 100, parent.signal);
    const reason = new Error("stop");
    parent.abort(reason);
    expect(deadline.signal.reason).toBe(reason);
    expect(startDeadline(new FakeClock(), 100, parent.signal).signal.reason).toBe(reason);
  });

  test("release() frees timer and listener, and aborts nothing", async () => {
    const clock = new FakeClock();
    const parent = new AbortController();
    const deadline = startDeadline(clock, 100, parent.signal);
    deadline.release();
    parent.abort();
    await clock.advance(200);
    expect(deadline.signal.aborted).toBe(false);
  });

  test("restart() starts the time anew, end() stops it", async () => {
    const clock = new FakeClock();
    const deadline = startDeadline(clock, 100, new AbortController().signal);
    await clock.advance(60);
    deadline.restart(100);
    await clock.advance(60);
    expect(deadline.signal.aborted).toBe(false);
    deadline.end();
    expect(deadline.signal.reason).not.toBeInstanceOf(DeadlinePassed);
  });
});
