import { describe, expect, test } from "@jest/globals";
import { converges } from "../../../faults/invariants/converges.js";
import { at, broken } from "./journals.js";

describe("converges", () => {
  test("lets a story end well", () => {
    expect(broken(converges, [at(1, { type: "verdict", problems: [] })])).toEqual([]);
  });

  test("finds what is not as it should be at the end", () => {
    expect(broken(converges, [at(1, { type: "verdict", problems: ["1 pods of 2"] })])).toEqual(["converges"]);
  });
});
