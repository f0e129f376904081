import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type DiffOperation, diffJson, equalJson } from "../../../../src/core/values/json-diff.js";

/** Applies the operations one by one, as RFC 6902 says. */
function applyAll(document: unknown, operations: readonly DiffOperation[]): unknown {
  return operations.reduce((current, operation) => applyOne(current, operation, 0), document);
}

function applyOne(target: unknown, operation: DiffOperation, depth: number): unknown {
  const key = operation.path[depth];
  if (key === undefined) return operation.value;
  const isLast = depth === operation.path.length - 1;
  if (Array.isArray(target)) {
    const index = Number(key);
    if (!isLast) return target.with(index, applyOne(target[index], operation, depth + 1));
    if (operation.op === "remove") return target.toSpliced(index, 1);
    return target.toSpliced(index, operation.op === "add" && target[index] !== null ? 0 : 1, operation.value);
  }
  const members = new Map(Object.entries(target as Record<string, unknown>));
  if (isLast && operation.op === "remove") members.delete(key);
  else members.set(key, applyOne(members.get(key), operation, depth + 1));
  return Object.fromEntries(members);
}

describe("diffJson()", () => {
  for (const { when, before, after, want } of [
    { when: "nothing differs", before: { a: [1, { b: null }] }, after: { a: [1, { b: null }] }, want: [] },
    { when: "key order differs", before: { a: 1, b: 2 }, after: { b: 2, a: 1 }, want: [] },
    { when: "a value differs", before: { a: { b: 1 } }, after: { a: { b: 2 } }, want: [{ op: "replace", path: ["a", "b"], value: 2 }] },
    { when: "a type differs", before: { a: 1 }, after: { a: "1" }, want: [{ op: "replace", path: ["a"], value: "1" }] },
    { when: "an object becomes an array", before: { a: {} }, after: { a: [] }, want: [{ op: "replace", path: ["a"], value: [] }] },
    { when: "a key appears", before: {}, after: { "x/y~z": 1 }, want: [{ op: "add", path: ["x/y~z"], value: 1 }] },
    { when: "a key goes", before: { a: 1 }, after: {}, want: [{ op: "remove", path: ["a"] }] },
    { when: "null becomes something", before: { a: null }, after: { a: {} }, want: [{ op: "add", path: ["a"], value: {} }] },
    { when: "something becomes null", before: { a: 1 }, after: { a: null }, want: [{ op: "replace", path: ["a"], value: null }] },
    {
      when: "an array grows",
      before: [1],
      after: [2, 3, 4],
      want: [
        { op: "replace", path: ["0"], value: 2 },
        { op: "add", path: ["1"], value: 3 },
        { op: "add", path: ["2"], value: 4 },
      ],
    },
    {
      when: "an array shrinks",
      before: [1, 2, 3],
      after: [1],
      want: [
        { op: "remove", path: ["2"] },
        { op: "remove", path: ["1"] },
      ],
    },
    { when: "whole documents differ", before: 1, after: "x", want: [{ op: "replace", path: [], value: "x" }] },
    { when: "a key is one of Object's own", before: {}, after: { constructor: 1 }, want: [{ op: "add", path: ["constructor"], value: 1 }] },
  ]) {
    test(`diffJson() gives ${want.length} operations when ${when}`, () => {
      expect(diffJson(before, after)).toEqual(want);
    });
  }

  test("diffJson() gives the steps from one document to the other", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => expect(applyAll(before, diffJson(before, after))).toEqual(after)),
    );
  });

  test("equalJson() is true exactly when the documents mean the same", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => equalJson(value, JSON.parse(JSON.stringify(value)))));
    expect([equalJson({ a: [1] }, { a: [2] }), equalJson({ a: undefined }, {})]).toEqual([false, true]);
  });
});

describe("equalJson()", () => {
  test.each([
    { a: { x: 1, y: [1, { z: 2 }] }, b: { y: [1, { z: 2 }], x: 1 }, want: true },
    { a: { x: 1 }, b: { x: 1, y: undefined }, want: true },
    { a: { x: 1 }, b: { x: 1, y: 0 }, want: false },
    { a: [1, 2], b: [2, 1], want: false },
    { a: [1], b: { 0: 1 }, want: false },
    { a: null, b: {}, want: false },
    { a: undefined, b: { x: 1 }, want: false },
    { a: "1", b: 1, want: false },
  ])("of $a and $b is $want", ({ a, b, want }) => {
    expect(equalJson(a, b)).toBe(want);
    expect(equalJson(b, a)).toBe(want);
  });
});
