import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { goJson } from "../../../src/core/values/go-json.js";
import { writeJson } from "../../../src/kube/write-json.js";

describe("writeJson()", () => {
  test("sorts keys, digits too, and escapes what Go escapes", () => {
    const value = { b: 1, a: { "9": "x", "10": "y" }, command: ["a && b > c <d>", "\u2028"], gone: undefined, nothing: null };
    expect(writeJson(value)).toBe(
      String.raw`{"a":{"10":"y","9":"x"},"b":1,"command":["a \u0026\u0026 b \u003e c \u003cd\u003e","\u2028"],"nothing":null}`,
    );
  });

  test("means the same as what it was given", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(JSON.parse(writeJson(value))).toEqual(JSON.parse(JSON.stringify(value)))));
  });

  test("writes a revision's data byte for byte as the revision's name was made of", () => {
    const ascii = fc.string({ unit: "grapheme-ascii" });
    const data = fc.dictionary(ascii, fc.oneof(ascii, fc.integer(), fc.boolean(), fc.array(ascii), fc.dictionary(ascii, ascii)));
    fc.assert(fc.property(data, (value) => expect(writeJson(value)).toBe(goJson(value))));
  });
});
