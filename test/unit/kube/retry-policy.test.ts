import { describe, expect, test } from "@jest/globals";
import { parseRetryAfterMs, retryDelayMs, type FailedTry } from "../../../src/kube/retry-policy.js";

const random = { next: () => 0, hex: () => "" };

function delay(failed: FailedTry, isRepeatable: boolean, failures = 1): number | undefined {
  return retryDelayMs({ failed, isRepeatable, failures, random });
}

const refusal = (code: number, retryAfterMs?: number): FailedTry => ({ type: "refusal", code, retryAfterMs });

describe("retryDelayMs()", () => {
  test.each([
    ["429 for a write", refusal(429), false, 200],
    ["429 with Retry-After for a write", refusal(429, 1_000), false, 1_000],
    ["503 with Retry-After for a write", refusal(503, 0), false, 200],
    ["500 for a read", refusal(500), true, 200],
    ["500 for a write", refusal(500), false, undefined],
    ["403 with Retry-After", refusal(403, 1_000), true, undefined],
    ["404 for a read", refusal(404), true, undefined],
    ["a broken connection for a read", { type: "wire", failure: "broken" } as const, true, 200],
    ["a broken connection for a write", { type: "wire", failure: "broken" } as const, false, undefined],
    ["no connection for a write", { type: "wire", failure: "unreachable" } as const, false, 200],
    ["a refused stream for a write", { type: "wire", failure: "refused" } as const, false, 200],
  ])("after %s", (_name, failed, isRepeatable, want) => {
    expect(delay(failed, isRepeatable)).toBe(want);
  });

  test("grows and ends after five tries", () => {
    expect([1, 2, 3, 4, 5].map((failures) => delay(refusal(429), true, failures))).toEqual([200, 400, 800, 1_600, undefined]);
  });
});

describe("parseRetryAfterMs()", () => {
  const nowMs = Date.parse("2026-01-01T00:00:00Z");
  test.each([
    ["5", 5_000],
    ["0", 0],
    ["Thu, 01 Jan 2026 00:00:07 GMT", 7_000],
    ["Thu, 01 Jan 2025 00:00:00 GMT", 0],
    ["soon", undefined],
    [undefined, undefined],
  ])("%s is %s ms", (header, want) => {
    expect(parseRetryAfterMs(header, nowMs)).toBe(want);
  });
});
