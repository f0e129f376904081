import { describe, expect, test } from "@jest/globals";
import type { StoredObject } from "../../../../src/sim/api-server/json.js";
import { fieldMatcher, labelMatcher } from "../../../../src/sim/api-server/selectors.js";

const pod: StoredObject = {
  metadata: { name: "web-0", namespace: "shop", uid: "u", resourceVersion: "1", labels: { app: "web", tier: "front" } },
  spec: { nodeName: "n1" },
};

describe("labelMatcher()", () => {
  test.each([
    ["", true],
    ["app=web", true],
    ["app==web,tier=front", true],
    ["app!=web", false],
    ["other!=x", true],
    ["app in (db, web)", true],
    ["app notin (db,web),tier=front", false],
    ["other notin (x)", true],
    ["app", true],
    ["!app", false],
    ["!other,app", true],
  ])("%j gives %s", (selector, want) => {
    expect(labelMatcher(selector)(pod)).toBe(want);
  });

  test("refuses what it cannot parse", () => {
    expect(() => labelMatcher("app in web")).toThrow("unable to parse");
  });
});

describe("fieldMatcher()", () => {
  test.each([
    ["metadata.name=web-0", true],
    ["spec.nodeName=n1,metadata.namespace=shop", true],
    ["spec.nodeName!=n1", false],
    ["status.phase=", true],
  ])("%j gives %s", (selector, want) => {
    expect(fieldMatcher(selector, "pods")(pod)).toBe(want);
  });

  test("refuses fields that the real server cannot select by", () => {
    expect(() => fieldMatcher("spec.color=red", "pods")).toThrow("not supported");
  });
});
