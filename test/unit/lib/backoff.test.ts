import { describe, expect, test } from "@jest/globals";
import { backoffDelayMs } from "../../../src/lib/backoff.js";

const noRandom = { next: () => 0, hex: () => "" };
const fullRandom = { next: () => 0.999999, hex: () => "" };

describe("backoffDelayMs()", () => {
  test.each([
    { failures: 1, wantMs: 100 },
    { failures: 2, wantMs: 200 },
    { failures: 4, wantMs: 800 },
    { failures: 5, wantMs: 1000 },
    { failures: 5000, wantMs: 1000 },
  ])("is $wantMs ms after $failures failures", ({ failures, wantMs }) => {
    expect(backoffDelayMs({ initialMs: 100, maxMs: 1000 }, failures, noRandom)).toBe(wantMs);
  });

  test("adds at most the jitter's share and never exceeds the maximum", () => {
    expect(backoffDelayMs({ initialMs: 100, maxMs: 1000, jitter: 0.5 }, 1, fullRandom)).toBeCloseTo(150, 2);
    expect(backoffDelayMs({ initialMs: 100, maxMs: 1000, jitter: 0.5 }, 9, fullRandom)).toBe(1000);
  });
});
