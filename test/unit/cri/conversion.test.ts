import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { toEventType, toMilliseconds, toRunState } from "../../../src/cri/conversion.js";

describe("toMilliseconds()", () => {
  test.each([
    ["0", 0],
    ["999999", 0],
    ["1000000", 1],
    ["1767323045123999999", 1_767_323_045_123],
    // Go's zero time, which containerd wrote for "not finished".
    ["-6795364578871345152", 0],
  ])("of %s ns is %i", (nanoseconds, milliseconds) => {
    expect(toMilliseconds(nanoseconds)).toBe(milliseconds);
  });

  test("never rounds up, whatever the nanoseconds", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), (nanoseconds) => {
        const milliseconds = BigInt(toMilliseconds(String(nanoseconds)));
        expect(nanoseconds - milliseconds * 1_000_000n).toBeGreaterThanOrEqual(0n);
        expect(nanoseconds - milliseconds * 1_000_000n).toBeLessThan(1_000_000n);
      }),
    );
  });
});

test.each([
  ["CONTAINER_CREATED", "Created"],
  ["CONTAINER_RUNNING", "Running"],
  ["CONTAINER_EXITED", "Exited"],
  ["CONTAINER_UNKNOWN", "Unknown"],
  [17, "Unknown"],
] as const)("toRunState() of %s is %s", (state, want) => {
  expect(toRunState(state)).toBe(want);
});

test("toEventType() of a kind from the future is undefined", () => {
  expect(toEventType("CONTAINER_STARTED_EVENT")).toBe("Started");
  expect(toEventType(9)).toBeUndefined();
});
