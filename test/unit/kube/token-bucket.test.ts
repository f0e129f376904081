import { describe, expect, test } from "@jest/globals";
import { TokenBucket } from "../../../src/kube/token-bucket.js";
import { FakeClock } from "../../support/fake-clock.js";

describe("TokenBucket", () => {
  test("lets a burst through at once and then one by one in turn", () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 2, clock: new FakeClock() });
    expect([1, 2, 3, 4].map(() => Math.round(bucket.reserveMs()))).toEqual([0, 0, 100, 200]);
  });

  test("refills up to the burst and no further", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ perSecond: 1, burst: 2, clock });
    expect([1, 2, 3].map(() => bucket.tryTake())).toEqual([true, true, false]);
    await clock.advance(999);
    expect(bucket.tryTake()).toBe(false);
    await clock.advance(1);
    expect(bucket.tryTake()).toBe(true);
    await clock.advance(3_600_000);
    expect([1, 2, 3].map(() => bucket.tryTake())).toEqual([true, true, false]);
  });

  test("take() waits its turn, and rejects with the signal's reason", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ perSecond: 1, burst: 1, clock });
    const stop = new AbortController();
    await bucket.take(stop.signal);
    let hasIt = false;
    const waiting = bucket.take(stop.signal).then(() => {
      hasIt = true;
    });
    await clock.advance(999);
    expect(hasIt).toBe(false);
    await clock.advance(1);
    await waiting;
    const reason = new Error("stop");
    const third = bucket.take(stop.signal);
    stop.abort(reason);
    await expect(third).rejects.toBe(reason);
  });

  test("a negative rate is no limit", () => {
    const bucket = new TokenBucket({ perSecond: -1, burst: 1, clock: new FakeClock() });
    expect([1, 2, 3].map(() => bucket.reserveMs())).toEqual([0, 0, 0]);
  });
});
