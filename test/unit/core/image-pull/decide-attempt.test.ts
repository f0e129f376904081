import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { decideAttempt, retryDelayMs } from "../../../../src/core/image-pull/decide-attempt.js";
import { pullLimits } from "../../../../src/core/image-pull/pull-limits.js";

describe("pullLimits()", () => {
  for (const { policy, want } of [
    { policy: undefined, want: { attempts: 4, timeoutMs: 600_000 } },
    { policy: { backoffLimit: -1, timeoutSeconds: 0 }, want: { attempts: 4, timeoutMs: 600_000 } },
    { policy: { backoffLimit: 0, timeoutSeconds: 5 }, want: { attempts: 1, timeoutMs: 5_000 } },
    { policy: { activeDeadlineSeconds: 60 }, want: { attempts: 4, timeoutMs: 600_000, activeDeadlineMs: 60_000 } },
  ]) {
    test(`pullLimits() of ${JSON.stringify(policy)}`, () => expect(pullLimits(policy)).toEqual(want));
  }
});

describe("decideAttempt()", () => {
  const limits = { attempts: 2, timeoutMs: 10_000, activeDeadlineMs: 15_000 };
  for (const { when, history, want } of [
    { when: "nothing was tried", history: { failures: 0, elapsedMs: 0 }, want: { type: "attempt", timeoutMs: 10_000 } },
    {
      when: "the deadline is nearer than the timeout",
      history: { failures: 1, elapsedMs: 9_000 },
      want: { type: "attempt", timeoutMs: 6_000 },
    },
    {
      when: "all attempts are used up",
      history: { failures: 2, elapsedMs: 1, lastFailure: "no such image" },
      want: { type: "fail", message: "no such image" },
    },
    {
      when: "the deadline has passed",
      history: { failures: 0, elapsedMs: 15_000 },
      want: { type: "fail", message: "pulling exceeds the activeDeadlineSeconds" },
    },
    {
      when: "the deadline has passed after a failure",
      history: { failures: 1, elapsedMs: 20_000, lastFailure: "slow" },
      want: { type: "fail", message: "pulling exceeds the activeDeadlineSeconds; the last attempt failed: slow" },
    },
  ]) {
    test(`decideAttempt() when ${when}`, () => expect(decideAttempt({ limits, ...history })).toEqual(want));
  }

  test("an attempt never lasts longer than its timeout or past the deadline, and there are never more than allowed", () => {
    const history = fc.record({
      limits: fc.record({ attempts: fc.integer({ min: 1, max: 10 }), timeoutMs: fc.integer({ min: 1 }), activeDeadlineMs: fc.nat() }),
      failures: fc.nat({ max: 20 }),
      elapsedMs: fc.nat(),
    });
    fc.assert(
      fc.property(history, (given) => {
        const decision = decideAttempt(given);
        if (decision.type === "fail") return given.failures >= given.limits.attempts || given.elapsedMs >= given.limits.activeDeadlineMs;
        const endMs = given.elapsedMs + decision.timeoutMs;
        return (
          given.failures < given.limits.attempts && decision.timeoutMs <= given.limits.timeoutMs && endMs <= given.limits.activeDeadlineMs
        );
      }),
    );
  });
});

describe("retryDelayMs()", () => {
  test("pauses grow 1, 2, 4 … 30 s", () => {
    const delays = [1, 2, 3, 4, 5, 6, 100].map((failures) => retryDelayMs({ limits: pullLimits(undefined), failures, elapsedMs: 0 }));
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  test("a pause does not outlast the deadline", () => {
    expect(retryDelayMs({ limits: pullLimits({ activeDeadlineSeconds: 10 }), failures: 4, elapsedMs: 9_500 })).toBe(500);
  });
});
