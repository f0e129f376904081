import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { PodTemplate } from "../../../../src/api/pod.js";
import { defaultTemplate } from "../../../../src/core/revision/template-defaults.js";
import { TEMPLATE_SHAPES } from "../../../../src/core/revision/template-shape.js";
import { goJson } from "../../../../src/core/values/go-json.js";

/** What the structs and the defaulting functions of k8s.io/kubernetes v1.35.4 made of a template, composed as OpenKruise composes them. */
interface WrittenTemplate {
  readonly when: string;
  readonly template: PodTemplate;
  readonly written: string;
}

const WRITTEN = JSON.parse(readFileSync(new URL("../../../golden/templates.json", import.meta.url), "utf8")) as readonly WrittenTemplate[];

function templateWith(spec: object, container: object = {}): PodTemplate {
  return { spec: { ...spec, containers: [{ name: "app", image: "app:v1", ...container }] } };
}

function sameWritten(a: PodTemplate, b: PodTemplate): void {
  expect(goJson(defaultTemplate(a))).toBe(goJson(defaultTemplate(b)));
}

/** Templates that use known field names with values of every sort, fitting or not. */
function wildTemplate(): fc.Arbitrary<PodTemplate> {
  const names = [...new Set([...TEMPLATE_SHAPES.values()].flatMap((shape) => [...shape.keys()]))];
  const leaf = fc.oneof(fc.constantFrom<unknown>(null, "", 0, false, "1024Ki", "x", 1.5), fc.jsonValue({ maxDepth: 1 }));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie("tree"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom(...names), tie("tree"), { maxKeys: 6 }),
    ),
  }));
  return fc.record({ metadata: tree, spec: tree }) as fc.Arbitrary<unknown> as fc.Arbitrary<PodTemplate>;
}

describe("defaultTemplate()", () => {
  for (const { when, template, written } of WRITTEN) {
    test(`defaultTemplate() writes what Go wrote when ${when}`, () => {
      expect(goJson(defaultTemplate(template))).toBe(written);
    });
  }

  for (const { what, spec = {}, container = {} } of [
    { what: "resources: null", container: { resources: null } },
    { what: "resources with empty maps", container: { resources: { limits: {}, requests: null } } },
    { what: "empty lists", spec: { volumes: [], tolerations: [] }, container: { env: [], args: [] } },
    {
      what: "the defaults themselves",
      spec: { restartPolicy: "Always", terminationGracePeriodSeconds: 30 },
      container: { imagePullPolicy: "Always" },
    },
    { what: "an unknown field that is null", spec: { someday: null } },
  ]) {
    test(`defaultTemplate() takes ${what} for absent`, () => {
      sameWritten(templateWith(spec, container), templateWith({}));
    });
  }

  for (const { what, spec = {}, container = {} } of [
    { what: "a zero grace period", spec: { terminationGracePeriodSeconds: 0 } },
    { what: "enableServiceLinks: false", spec: { enableServiceLinks: false } },
    { what: "an empty container security context", container: { securityContext: {} } },
    { what: "an unknown field", spec: { someday: { a: "" } } },
  ]) {
    test(`defaultTemplate() keeps ${what}`, () => {
      expect(goJson(defaultTemplate(templateWith(spec, container)))).not.toBe(goJson(defaultTemplate(templateWith({}))));
    });
  }

  test("defaultTemplate() keeps unknown fields as they are, empty values included", () => {
    const written = defaultTemplate(templateWith({ someday: { a: "", b: [] } }, { newField: false })) as unknown as {
      spec: Record<string, unknown>;
    };
    expect(written.spec["someday"]).toEqual({ a: "", b: [] });
    expect(written.spec["containers"]).toEqual([expect.objectContaining({ newField: false })]);
  });

  test("defaultTemplate() leaves to the pod what only pods get", () => {
    const limits = { resources: { limits: { cpu: "1" } } };
    const text = goJson(defaultTemplate(templateWith({ serviceAccountName: "sa" }, limits)));
    expect(text).not.toMatch(/requests|enableServiceLinks|"serviceAccount"|preemptionPolicy|tolerations/);
  });

  test("defaultTemplate() does not change its argument", () => {
    const template = templateWith({ volumes: [{ name: "v", secret: {} }] }, { ports: [{ containerPort: 1 }] });
    const before = JSON.stringify(template);
    defaultTemplate(template);
    expect(JSON.stringify(template)).toBe(before);
  });

  test("defaultTemplate() is idempotent, and never throws, whatever stands in the template", () => {
    fc.assert(
      fc.property(wildTemplate(), (template) => {
        const once = defaultTemplate(template);
        expect(goJson(defaultTemplate(once))).toBe(goJson(once));
      }),
    );
  });

  test("defaultTemplate() never throws on something that is no template", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => typeof defaultTemplate(value as unknown as PodTemplate) === "object"));
  });
});

test("TEMPLATE_SHAPES names a struct for every shape that a field has", () => {
  const leaves = ["Strings", "Quantity", "Quantities", "Amounts"];
  const used = [...TEMPLATE_SHAPES.values()].flatMap((shape) => [...shape.values()].flatMap((field) => field.shape ?? []));
  expect(used.filter((name) => !TEMPLATE_SHAPES.has(name) && !leaves.includes(name))).toEqual([]);
  const presences = new Set([...TEMPLATE_SHAPES.values()].flatMap((shape) => [...shape.values()].map((field) => field.presence)));
  expect([...presences].sort()).toEqual(["filled", "null", "object", "pointer", "text", "zero"]);
});
