import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { compareResourceVersions, newerResourceVersion } from "../../../src/kube/resource-version.js";

describe("compareResourceVersions()", () => {
  test("orders as the numbers that the texts are, of any size", () => {
    const big = fc.bigInt({ min: 0n, max: 2n ** 64n });
    fc.assert(
      fc.property(big, big, (a, b) => {
        expect(Math.sign(compareResourceVersions(String(a), String(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  test("takes an absent one for the oldest", () => {
    expect(compareResourceVersions(undefined, "1")).toBeLessThan(0);
    expect(compareResourceVersions("1", undefined)).toBeGreaterThan(0);
    expect(compareResourceVersions(undefined, undefined)).toBe(0);
  });
});

test("newerResourceVersion() gives the newer one", () => {
  expect(newerResourceVersion("999", "1000")).toBe("1000");
  expect(newerResourceVersion("1000", "999")).toBe("1000");
});
