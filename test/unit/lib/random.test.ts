import { describe, expect, test } from "@jest/globals";
import { systemRandom } from "../../../src/lib/random.js";

describe("systemRandom", () => {
  test.each([0, 1, 7, 8, 64])("hex(%i) has that many lower-case digits", (length) => {
    expect(systemRandom.hex(length)).toMatch(new RegExp(`^[0-9a-f]{${length}}$`));
  });

  test("hex() does not repeat", () => {
    expect(new Set(Array.from({ length: 100 }, () => systemRandom.hex(16))).size).toBe(100);
  });

  test("next() stays in [0, 1)", () => {
    for (let round = 0; round < 100; round++) {
      const value = systemRandom.next();
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThan(1);
    }
  });
});
