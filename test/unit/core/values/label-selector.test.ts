import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { LabelSelector } from "../../../../src/api/meta.js";
import { formatSelector, matchesSelector, selectorProblem } from "../../../../src/core/values/label-selector.js";

const LABELS = { app: "web", tier: "front", empty: "" };

function term(key: string, operator: string, values?: readonly string[]): LabelSelector {
  return { matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }] };
}

describe("matchesSelector()", () => {
  for (const { when, selector, want } of [
    { when: "the selector is absent", selector: undefined, want: false },
    { when: "the selector is null", selector: null, want: false },
    { when: "the selector is empty", selector: {}, want: true },
    { when: "the maps of the selector are empty", selector: { matchLabels: {}, matchExpressions: [] }, want: true },
    { when: "a label equals", selector: { matchLabels: { app: "web" } }, want: true },
    { when: "one of two labels differs", selector: { matchLabels: { app: "web", tier: "back" } }, want: false },
    { when: "the label is missing", selector: { matchLabels: { gone: "" } }, want: false },
    { when: "the name is one of Object's own", selector: term("constructor", "Exists"), want: false },
    { when: "the value is among In", selector: term("app", "In", ["x", "web"]), want: true },
    { when: "the value is not among In", selector: term("app", "In", ["x"]), want: false },
    { when: "In asks for a missing key", selector: term("gone", "In", ["x"]), want: false },
    { when: "the value is among NotIn", selector: term("app", "NotIn", ["web"]), want: false },
    { when: "the value is not among NotIn", selector: term("app", "NotIn", ["x"]), want: true },
    { when: "NotIn asks for a missing key", selector: term("gone", "NotIn", ["x"]), want: true },
    { when: "the key exists with an empty value", selector: term("empty", "Exists"), want: true },
    { when: "the key does not exist", selector: term("gone", "Exists"), want: false },
    { when: "DoesNotExist asks for a missing key", selector: term("gone", "DoesNotExist"), want: true },
    { when: "DoesNotExist asks for a key that exists", selector: term("app", "DoesNotExist"), want: false },
    { when: "the operator is unknown", selector: term("app", "Equals", ["web"]), want: false },
    { when: "In has no values", selector: term("app", "In"), want: false },
    { when: "Exists has values", selector: term("app", "Exists", ["web"]), want: false },
  ]) {
    test(`matchesSelector() is ${want} when ${when}`, () => {
      expect(matchesSelector(selector, LABELS)).toBe(want);
    });
  }

  test("matchesSelector() takes absent labels for none", () => {
    expect([matchesSelector({}, undefined), matchesSelector(term("app", "Exists"), undefined)]).toEqual([true, false]);
  });
});

describe("formatSelector()", () => {
  for (const { selector, want } of [
    { selector: undefined, want: "<none>" },
    { selector: {}, want: "<none>" },
    { selector: term("app", "Equals", ["x"]), want: "<error>" },
    { selector: { matchLabels: { app: "web" } }, want: "app=web" },
    { selector: { matchLabels: { b: "2", a: "1" } }, want: "a=1,b=2" },
    { selector: term("app", "In", ["b", "a"]), want: "app in (a,b)" },
    { selector: term("app", "NotIn", ["a"]), want: "app notin (a)" },
    { selector: { matchLabels: { app: "web" }, ...term("a", "Exists") }, want: "a,app=web" },
    { selector: term("app", "DoesNotExist"), want: "!app" },
  ]) {
    test(`formatSelector() writes ${want}`, () => {
      expect(formatSelector(selector)).toBe(want);
    });
  }
});

describe("selectorProblem()", () => {
  for (const { selector, want } of [
    { selector: { matchLabels: { "example.com/app": "Web_1.x" } }, want: undefined },
    { selector: { matchLabels: { "a/b/c": "x" } }, want: '"a/b/c" is not a label key' },
    { selector: { matchLabels: { "-a": "x" } }, want: '"-a" is not a label key' },
    { selector: { matchLabels: { "Upper/a": "x" } }, want: '"Upper/a" is not a label key' },
    { selector: { matchLabels: { ["k".repeat(64)]: "x" } }, want: `"${"k".repeat(64)}" is not a label key` },
    { selector: { matchLabels: { a: "x y" } }, want: '"x y" is not a label value (key "a")' },
    { selector: { matchLabels: { a: "v".repeat(64) } }, want: `"${"v".repeat(64)}" is not a label value (key "a")` },
    { selector: term("a", "In"), want: 'operator In of key "a" needs values' },
    { selector: term("a", "Exists", ["x"]), want: 'operator Exists of key "a" takes no values' },
    { selector: term("a", "Gt", ["1"]), want: '"Gt" is not an operator (key "a")' },
  ]) {
    test(`selectorProblem() says ${want ?? "nothing"} about ${JSON.stringify(selector).slice(0, 60)}`, () => {
      expect(selectorProblem(selector)).toBe(want);
    });
  }

  test("In and NotIn, Exists and DoesNotExist are opposites for every label set", () => {
    const labels = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("", "x", "y"));
    fc.assert(
      fc.property(labels, (set) => {
        expect(matchesSelector(term("a", "In", ["x", ""]), set)).toBe(!matchesSelector(term("a", "NotIn", ["x", ""]), set));
        expect(matchesSelector(term("a", "Exists"), set)).toBe(!matchesSelector(term("a", "DoesNotExist"), set));
      }),
    );
  });
});
