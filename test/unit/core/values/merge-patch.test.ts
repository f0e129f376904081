import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createMergePatch } from "../../../../src/core/values/merge-patch.js";
import { applyMergePatch } from "../../../support/merge-patch.js";

describe("createMergePatch()", () => {
  for (const { when, before, after, want } of [
    { when: "nothing differs", before: { a: { b: 1 } }, after: { a: { b: 1 } }, want: {} },
    { when: "a value changes", before: { a: { b: 1, c: 2 } }, after: { a: { b: 3, c: 2 } }, want: { a: { b: 3 } } },
    { when: "a key goes", before: { a: 1, b: 2 }, after: { b: 2 }, want: { a: null } },
    { when: "a key is undefined", before: { a: 1 }, after: { a: undefined }, want: { a: null } },
    { when: "an array changes", before: { a: [1, 2] }, after: { a: [2] }, want: { a: [2] } },
    { when: "an empty object appears", before: {}, after: { a: {} }, want: { a: {} } },
    { when: "the target was no object", before: [1], after: { a: 1 }, want: { a: 1 } },
    { when: "the result is no object", before: { a: 1 }, after: "x", want: "x" },
  ]) {
    test(`createMergePatch() is ${JSON.stringify(want)} when ${when}`, () => {
      expect(createMergePatch(before, after)).toEqual(want);
    });
  }
});

describe("applyMergePatch()", () => {
  // The examples of RFC 7386, appendix A.
  for (const [target, patch, want] of [
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ]) {
    test(`applyMergePatch() of ${JSON.stringify(patch)} to ${JSON.stringify(target)}`, () => {
      expect(applyMergePatch(target, patch)).toEqual(want);
    });
  }

  test("applyMergePatch() undoes createMergePatch() for documents without null members", () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.array(fc.integer()),
        fc.dictionary(fc.string({ maxLength: 2 }), tie("tree")),
      ),
    }));
    fc.assert(fc.property(tree, tree, (before, after) => expect(applyMergePatch(before, createMergePatch(before, after))).toEqual(after)));
  });

  test("applyMergePatch() does not reach the prototype", () => {
    const result = applyMergePatch({}, JSON.parse('{"__proto__":{"polluted":1}}')) as Record<string, unknown>;
    expect([Object.hasOwn(result, "__proto__"), ({} as Record<string, unknown>)["polluted"]]).toEqual([true, undefined]);
  });
});
