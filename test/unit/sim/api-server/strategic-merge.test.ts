import { describe, expect, test } from "@jest/globals";
import { strategicMerge } from "../../../../src/sim/api-server/strategic-merge.js";

const names = (list: unknown): readonly string[] => (list as readonly { readonly name: string }[]).map(({ name }) => name);

describe("strategicMerge()", () => {
  test("merges containers by name and their env by name, and keeps the rest", () => {
    const target = {
      containers: [
        { name: "a", image: "a:1", env: [{ name: "X", value: "1" }] },
        { name: "b", image: "b:1" },
      ],
    };
    const patch = { containers: [{ name: "a", image: "a:2", env: [{ name: "X", value: "2" }] }] };
    expect(strategicMerge(target, patch)).toEqual({
      containers: [
        { name: "a", image: "a:2", env: [{ name: "X", value: "2" }] },
        { name: "b", image: "b:1" },
      ],
    });
  });

  test("puts new items before those that only the target has, as the real server was seen to do", () => {
    const target = { env: [{ name: "a" }, { name: "b" }, { name: "c" }] };
    expect(names((strategicMerge(target, { env: [{ name: "new" }] }) as { env: unknown }).env)).toEqual(["new", "a", "b", "c"]);
    expect(names((strategicMerge(target, { env: [{ name: "b", value: "1" }] }) as { env: unknown }).env)).toEqual(["a", "b", "c"]);
  });

  test("replaces lists that have no merge key, and merges finalizers as a set", () => {
    const target = { command: ["a", "b"], finalizers: ["x", "y"] };
    expect(strategicMerge(target, { command: ["c"], finalizers: ["y", "z"] })).toEqual({ command: ["c"], finalizers: ["x", "y", "z"] });
    expect(strategicMerge(target, { "$deleteFromPrimitiveList/finalizers": ["x"] })).toEqual({ command: ["a", "b"], finalizers: ["y"] });
  });

  test("null removes a member, $patch removes an item or replaces the whole", () => {
    expect(strategicMerge({ a: 1, b: { c: 1, d: 2 } }, { a: null, b: { c: null } })).toEqual({ b: { d: 2 } });
    const target = { env: [{ name: "a" }, { name: "b" }] };
    expect(strategicMerge(target, { env: [{ name: "a", $patch: "delete" }] })).toEqual({ env: [{ name: "b" }] });
    expect(strategicMerge(target, { env: [{ $patch: "replace" }, { name: "c" }] })).toEqual({ env: [{ name: "c" }] });
    expect(strategicMerge({ a: { b: 1 } }, { a: { $patch: "replace", c: 2 } })).toEqual({ a: { c: 2 } });
  });

  test("ignores directives about order", () => {
    const patch = { "$setElementOrder/env": [{ name: "a" }], env: [{ name: "a", value: "1" }] };
    expect(strategicMerge({ env: [{ name: "a" }] }, patch)).toEqual({ env: [{ name: "a", value: "1" }] });
  });
});
