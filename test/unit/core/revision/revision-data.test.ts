import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { revisionData, templateOfRevision } from "../../../../src/core/revision/revision-data.js";

const TEMPLATE = { metadata: { labels: { app: "demo" } }, spec: { containers: [{ name: "main", image: "nginx:1.21" }] } };

test("revisionData() wraps the template in a patch and sorts its keys", () => {
  const { text, data } = revisionData(TEMPLATE);
  expect(text).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"demo"}},"spec":{"containers":[{"image":"nginx:1.21","name":"main"}]}}}}',
  );
  expect(JSON.parse(text)).toEqual(data);
});

describe("templateOfRevision()", () => {
  test("templateOfRevision() undoes revisionData()", () => {
    expect(templateOfRevision(revisionData(TEMPLATE).data)).toEqual(TEMPLATE);
  });

  for (const data of [
    undefined,
    null,
    1,
    "x",
    [],
    {},
    { spec: null },
    { spec: { template: [] } },
    { spec: { template: { metadata: {} } } },
  ]) {
    test(`templateOfRevision() of ${JSON.stringify(data)} is undefined`, () => {
      expect(templateOfRevision(data)).toBeUndefined();
    });
  }

  test("templateOfRevision() never throws", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => ["object", "undefined"].includes(typeof templateOfRevision({ spec: { template: value } }))),
    );
  });
});
