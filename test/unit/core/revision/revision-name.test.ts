import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { meansRevision, revisionHash, revisionName, shortHash } from "../../../../src/core/revision/revision-name.js";

const DOCUMENT =
  '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"demo"}},' +
  '"spec":{"containers":[{"image":"nginx:1.21","name":"main","resources":{}}]}}}}';

describe("revisionHash()", () => {
  for (const { collisionCount, want } of [
    { collisionCount: 0, want: "7cb569c9cc" },
    { collisionCount: 1, want: "7cb569c9cb" },
  ]) {
    test(`revisionHash() of the specification's document is ${want} after ${collisionCount} collisions`, () => {
      expect(revisionHash(DOCUMENT, collisionCount)).toBe(want);
    });
  }

  test("revisionHash() is a label value of at most 10 characters", () => {
    fc.assert(fc.property(fc.string(), fc.nat(), (text, count) => /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/.test(revisionHash(text, count))));
  });
});

describe("revisionName()", () => {
  test("revisionName() keeps a parent of 223 characters and cuts a longer one", () => {
    expect(revisionName("p".repeat(223), "h")).toBe(`${"p".repeat(223)}-h`);
    expect(revisionName("p".repeat(224), "h")).toBe(`${"p".repeat(223)}-h`);
  });
});

describe("shortHash()", () => {
  test("shortHash() is what follows the last dash", () => {
    expect([shortHash("my-web-5f6b46497d"), shortHash("5f6b46497d"), shortHash("")]).toEqual(["5f6b46497d", "5f6b46497d", ""]);
  });

  test("shortHash() undoes revisionName()", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        (parent, text) => shortHash(revisionName(parent, revisionHash(text, 0))) === revisionHash(text, 0),
      ),
    );
  });
});

describe("meansRevision()", () => {
  test.each([
    { label: "web-7cb569c9cc", want: true },
    { label: "7cb569c9cc", want: true },
    { label: "api-7cb569c9cc", want: false },
    { label: "7cb569c9cb", want: false },
    { label: "", want: false },
    { label: undefined, want: false },
  ])("of label $label is $want", ({ label, want }) => {
    expect(meansRevision(label, "web-7cb569c9cc")).toBe(want);
  });
});
