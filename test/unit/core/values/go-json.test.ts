import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { compareGoStrings, goJson } from "../../../../src/core/values/go-json.js";

describe("goJson()", () => {
  for (const { when, value, want } of [
    { when: "keys are out of order", value: { b: 1, a: { d: null, c: [] } }, want: '{"a":{"c":[],"d":null},"b":1}' },
    { when: "text holds HTML characters", value: "<a>&'", want: '"\\u003ca\\u003e\\u0026\'"' },
    { when: "text holds line separators", value: "\u2028\u2029", want: '"\\u2028\\u2029"' },
    { when: "text holds control characters", value: "\b\f\n\r\t\u0001\u007f", want: '"\\b\\f\\n\\r\\t\\u0001\u007f"' },
    { when: "text holds quotes and other scripts", value: 'é"\\😀', want: '"é\\"\\\\😀"' },
    { when: "text holds a lone surrogate", value: "a\ud800b", want: '"a\ufffdb"' },
    { when: "a key needs escaping", value: { "<": 1 }, want: '{"\\u003c":1}' },
    { when: "numbers are whole, fractional, huge, tiny or negative zero", value: [5, -0.5, 1e21, 1e-7, -0], want: "[5,-0.5,1e+21,1e-7,0]" },
    { when: "members are undefined", value: { a: undefined, b: [undefined] }, want: '{"b":[null]}' },
    { when: "a key is __proto__", value: JSON.parse('{"__proto__":1}') as unknown, want: '{"__proto__":1}' },
  ]) {
    test(`goJson() writes what Go would when ${when}`, () => {
      expect(goJson(value)).toBe(want);
    });
  }

  test("goJson() sorts keys by UTF-8 bytes, not by UTF-16 units", () => {
    expect(goJson({ "😀": 1, "\uff61": 2, z: 3 })).toBe('{"z":3,"｡":2,"😀":1}');
  });

  test("goJson() is stable over a round trip", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => goJson(JSON.parse(goJson(value))) === goJson(value)));
  });

  test("goJson() keeps the value", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(JSON.parse(goJson(value))).toEqual(JSON.parse(JSON.stringify(value)))));
  });
});

describe("compareGoStrings()", () => {
  test("compareGoStrings() orders like the bytes", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(fc.property(text, text, (a, b) => Math.sign(compareGoStrings(a, b)) === Buffer.compare(Buffer.from(a), Buffer.from(b))));
  });
});
