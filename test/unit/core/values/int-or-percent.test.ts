import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { resolveIntOrPercent } from "../../../../src/core/values/int-or-percent.js";

describe("resolveIntOrPercent()", () => {
  for (const { value, total, up, down } of [
    { value: 3, total: 10, up: 3, down: 3 },
    { value: 0, total: 10, up: 0, down: 0 },
    { value: "20%", total: 1, up: 1, down: 0 },
    { value: "20%", total: 10, up: 2, down: 2 },
    { value: "33%", total: 10, up: 4, down: 3 },
    { value: "99%", total: 3, up: 3, down: 2 },
    { value: "0%", total: 7, up: 0, down: 0 },
    { value: "100%", total: 7, up: 7, down: 7 },
    { value: "150%", total: 10, up: 15, down: 15 },
    { value: "50%", total: 0, up: 0, down: 0 },
  ]) {
    test(`resolveIntOrPercent() of ${JSON.stringify(value)} and ${total} is ${up} up, ${down} down`, () => {
      expect([resolveIntOrPercent(value, total, "up"), resolveIntOrPercent(value, total, "down")]).toEqual([up, down]);
    });
  }

  for (const value of ["5", "", "%", "1.5%", "-1%", " 5%", "5% ", "５%", "1e1%", -1, 1.5, Number.NaN]) {
    test(`resolveIntOrPercent() refuses ${JSON.stringify(value)}`, () => {
      expect(resolveIntOrPercent(value, 10, "up")).toBeUndefined();
    });
  }

  test("resolveIntOrPercent() of a percentage up to 100 stays within [0, total]", () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(100_000), fc.constantFrom("up" as const, "down" as const), (percent, total, rounding) => {
        const resolved = resolveIntOrPercent(`${percent}%`, total, rounding);
        return resolved !== undefined && resolved >= 0 && resolved <= total && Number.isInteger(resolved);
      }),
    );
  });

  test("resolveIntOrPercent() rounds away from the exact share by less than one", () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(100_000), (percent, total) => {
        const up = resolveIntOrPercent(`${percent}%`, total, "up") ?? -1;
        const down = resolveIntOrPercent(`${percent}%`, total, "down") ?? -1;
        return up * 100 >= percent * total && down * 100 <= percent * total && up - down <= 1;
      }),
    );
  });

  test("resolveIntOrPercent() never throws", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void resolveIntOrPercent(value as string, 10, "up")));
  });
});
