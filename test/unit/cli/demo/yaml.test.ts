import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parse } from "yaml";
import { toYaml } from "../../../../src/cli/demo/yaml.js";
import { IMAGES } from "../../../../src/cli/demo/cluster.js";
import { manifest } from "../../../../src/cli/demo/workload.js";

function parsed(value: unknown): unknown {
  return parse(toYaml(value).join("\n"), { version: "1.1" });
}

describe("toYaml()", () => {
  test("writes the story's manifest so that a YAML reader finds the same", () => {
    const whole = manifest(IMAGES.v1, "it's: 'yes' #1");
    expect(parsed(whole)).toEqual(whole);
  });

  test("writes any text so that a YAML reader finds the same text", () => {
    const words = fc.constantFrom(
      "yes",
      "NO",
      "null",
      "~",
      "1",
      "1e3",
      "E0",
      "e12",
      "0x1f",
      "a: b",
      "a #b",
      "- a",
      "",
      " a",
      "a ",
      "é",
      "1:30",
      "a:",
      "2026-01-02",
    );
    fc.assert(
      fc.property(fc.oneof(words, fc.string()), (text) => {
        expect(parsed({ [text || "k"]: text, list: [{ a: text, b: [text] }] })).toEqual({
          [text || "k"]: text,
          list: [{ a: text, b: [text] }],
        });
      }),
    );
  });
});
