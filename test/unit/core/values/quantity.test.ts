import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { canonicalQuantity, canonicalResourceAmount, parseQuantity, type Quantity } from "../../../../src/core/values/quantity.js";

function quantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (parsed === undefined) throw new Error(`${text} is no quantity`);
  return parsed;
}

const number = fc.stringMatching(/^-?\d{1,20}(\.\d{0,12})?$/);
const suffix = fc.constantFrom("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2", "e+9");
const written = fc.tuple(number, suffix).map(([digits, unit]) => digits + unit);

describe("canonicalQuantity()", () => {
  // Each row was printed by k8s.io/apimachinery v0.35.4.
  for (const { value, want } of [
    { value: "1", want: "1" },
    { value: "0", want: "0" },
    { value: "000", want: "0" },
    { value: "0Gi", want: "0" },
    { value: "0.1", want: "100m" },
    { value: "100m", want: "100m" },
    { value: "1000m", want: "1" },
    { value: "1500m", want: "1500m" },
    { value: "1.5", want: "1500m" },
    { value: "1.500", want: "1.500" },
    { value: "1.001", want: "1.001" },
    { value: "007", want: "007" },
    { value: "+5", want: "+5" },
    { value: "1.5Gi", want: "1536Mi" },
    { value: "0.5Gi", want: "512Mi" },
    { value: "1024Ki", want: "1Mi" },
    { value: "1025Ki", want: "1025Ki" },
    { value: "0.5Ki", want: "512" },
    { value: "0.0001Ki", want: "102400u" },
    { value: "9Ei", want: "9223372036854775807" },
    { value: "1000000", want: "1M" },
    { value: "1500000", want: "1500k" },
    { value: "1e3", want: "1e3" },
    { value: "1E3", want: "1E3" },
    { value: "1.5e3", want: "1500" },
    { value: "10e3", want: "10e3" },
    { value: "100000e1", want: "1e6" },
    { value: "1e-3", want: "1e-3" },
    { value: "0.1n", want: "1n" },
    { value: "-0.1n", want: "-1n" },
    { value: "-1.5Gi", want: "-1536Mi" },
    { value: " 5 ", want: "5" },
    { value: 1, want: "1" },
    { value: 0.5, want: "500m" },
    { value: 1000, want: "1k" },
    { value: null, want: "0" },
    { value: "", want: undefined },
    { value: "Gi", want: undefined },
    { value: "1Zi", want: undefined },
    { value: "1 Gi", want: undefined },
    { value: "1e99999999999", want: undefined },
    { value: true, want: undefined },
  ]) {
    test(`canonicalQuantity() of ${JSON.stringify(value)} is ${want}`, () => {
      expect(canonicalQuantity(value)).toBe(want);
    });
  }

  test("canonicalQuantity() keeps the amount, and its own results", () => {
    fc.assert(
      fc.property(written, (text) => {
        const { nanos, canonical } = quantity(text);
        expect(quantity(canonical).nanos).toBe(nanos);
        expect(canonicalQuantity(canonical)).toBe(canonical);
      }),
    );
  });

  test("canonicalQuantity() never throws", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => ["string", "undefined"].includes(typeof canonicalQuantity(value))));
  });
});

describe("canonicalResourceAmount()", () => {
  for (const { value, want } of [
    { value: "100u", want: "1m" },
    { value: "1000001n", want: "2m" },
    { value: "-100u", want: "-1m" },
    { value: "0.25", want: "250m" },
    { value: "1.001", want: "1.001" },
    { value: "x", want: undefined },
  ]) {
    test(`canonicalResourceAmount() of ${value} is ${want}`, () => {
      expect(canonicalResourceAmount(value)).toBe(want);
    });
  }

  test("canonicalResourceAmount() keeps its own results", () => {
    fc.assert(
      fc.property(written, (text) => {
        const once = canonicalResourceAmount(text);
        expect(canonicalResourceAmount(once)).toBe(once);
      }),
    );
  });
});

describe("the amounts of parseQuantity()", () => {
  for (const { a, b, want } of [
    { a: "1Gi", b: "1024Mi", want: 0 },
    { a: "1500m", b: "1.5", want: 0 },
    { a: "1e3", b: "1k", want: 0 },
    { a: "1G", b: "1Gi", want: -1 },
    { a: "0.1", b: "99m", want: 1 },
    { a: "-1", b: "0", want: -1 },
  ]) {
    test(`order ${a} and ${b} as ${want}`, () => {
      expect(Math.sign(Number(quantity(a).nanos - quantity(b).nanos))).toBe(want);
    });
  }
});
