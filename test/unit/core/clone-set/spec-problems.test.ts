import { describe, expect, test } from "@jest/globals";
import type { CloneSetSpec } from "../../../../src/api/clone-set.js";
import type { PodTemplate } from "../../../../src/api/pod.js";
import { specProblems } from "../../../../src/core/clone-set/spec-problems.js";
import { makeCloneSet } from "../../../support/clone-set.js";

function withPodSpec(fields: object): PodTemplate {
  const { template } = makeCloneSet().spec;
  return { ...template, spec: { ...template.spec, ...fields } };
}

const cases: readonly { readonly when: string; readonly spec: Partial<CloneSetSpec>; readonly field: string; readonly says: string }[] = [
  { when: "the selector is empty", spec: { selector: {} }, field: "spec.selector", says: "spec.template.metadata.labels" },
  {
    when: "the selector has an unknown operator",
    spec: { selector: { matchExpressions: [{ key: "app", operator: "Is" }] } },
    field: "spec.selector",
    says: '"Is"',
  },
  {
    when: "the selector does not match the template",
    spec: { selector: { matchLabels: { app: "api" } } },
    field: "spec.selector",
    says: "add the selector's labels",
  },
  {
    when: "pods are not restarted for ever",
    spec: { template: withPodSpec({ restartPolicy: "Never" }) },
    field: "spec.template.spec.restartPolicy",
    says: "use Always",
  },
  {
    when: "pods end after a while",
    spec: { template: withPodSpec({ activeDeadlineSeconds: 60 }) },
    field: "spec.template.spec.activeDeadlineSeconds",
    says: "remove the field",
  },
  { when: "replicas are negative", spec: { replicas: -1 }, field: "spec.replicas", says: "-1" },
  { when: "minReadySeconds is negative", spec: { minReadySeconds: -3 }, field: "spec.minReadySeconds", says: "-3" },
  {
    when: "maxUnavailable is a numeric string",
    spec: { updateStrategy: { maxUnavailable: "5" } },
    field: "spec.updateStrategy.maxUnavailable",
    says: '"5"',
  },
  {
    when: "maxUnavailable is 0",
    spec: { updateStrategy: { maxUnavailable: "0%" } },
    field: "spec.updateStrategy.maxUnavailable",
    says: "at least 1",
  },
  { when: "partition is negative", spec: { updateStrategy: { partition: -1 } }, field: "spec.updateStrategy.partition", says: "-1" },
  {
    when: "the policy is unknown",
    spec: { updateStrategy: { type: "Inplace" } },
    field: "spec.updateStrategy.type",
    says: "InPlaceIfPossible",
  },
  { when: "the template is empty", spec: { template: {} as PodTemplate }, field: "spec.template.spec.containers", says: "container" },
  {
    when: "a container has no name",
    spec: { template: { spec: { containers: [{ image: "a" }] } } as unknown as PodTemplate },
    field: "spec.template.spec.containers",
    says: "name",
  },
];

const podSpec = { containers: [{ name: "app", image: "app:v1" }] };
const withTemplate = (template: object): Partial<CloneSetSpec> => ({ template: { spec: podSpec, ...template } });

describe("specProblems()", () => {
  test.each(cases)("names $field when $when", ({ spec, field, says }) => {
    const problems = specProblems(makeCloneSet(spec).spec);
    expect(problems.map((problem) => problem.field)).toEqual([field]);
    expect(problems[0]?.message).toContain(says);
  });

  test.each<{ readonly field: string; readonly spec: object; readonly says: string }>([
    { field: "spec.replicas", spec: { replicas: 1.5 }, says: "whole number" },
    { field: "spec.replicas", spec: { replicas: 2_147_483_648 }, says: "32 bits" },
    { field: "spec.updateStrategy.paused", spec: { updateStrategy: { paused: "yes" } }, says: "is a string: make it true or false" },
    { field: "spec.updateStrategy", spec: { updateStrategy: [] }, says: "is a list: make it an object" },
    { field: "spec.template.metadata.labels", spec: withTemplate({ metadata: { labels: { app: 5 } } }), says: "text" },
    { field: "spec.template.metadata.finalizers[1]", spec: withTemplate({ metadata: { finalizers: ["a", null] } }), says: "is null" },
    { field: "spec.template.spec.readinessGates", spec: withTemplate({ spec: { ...podSpec, readinessGates: {} } }), says: "a list" },
    {
      field: "spec.template.spec.containers[0].image",
      spec: withTemplate({ spec: { containers: [{ name: "a", image: 1 }] } }),
      says: "text",
    },
    { field: "spec.selector", spec: { selector: { matchLabels: "app" } }, says: "matchLabels" },
    { field: "spec.selector", spec: { selector: { matchExpressions: [{ key: 1, operator: "Exists" }] } }, says: "matchExpressions" },
    { field: "spec.selector", spec: { selector: null }, says: "empty" },
  ])("names $field when its type is not what the rules expect: $spec", ({ field, spec, says }) => {
    const problems = specProblems(makeCloneSet(spec).spec);
    expect(problems.map((problem) => problem.field)).toEqual([field]);
    expect(problems[0]?.message).toContain(says);
  });

  test("never quotes a value of the template", () => {
    const container = { name: "app", image: "app:v1", env: ["PASSWORD=hunter2"] };
    const problems = specProblems(makeCloneSet(withTemplate({ spec: { containers: [container] } })).spec);
    expect(problems.map(({ field }) => field)).toEqual(["spec.template.spec.containers[0].env[0]"]);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  test.each<Partial<CloneSetSpec>>([
    {},
    { template: { metadata: { labels: { app: "web", empty: null as unknown as string } }, spec: podSpec } },
    { replicas: 0, updateStrategy: { maxUnavailable: 0 } },
    { updateStrategy: { maxUnavailable: "100%", partition: "50%", maxSurge: 0 } },
    { updateStrategy: { maxUnavailable: 0, maxSurge: 1 } },
    { selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } },
  ])("finds nothing wrong with %j", (spec) => {
    expect(specProblems(makeCloneSet(spec).spec)).toEqual([]);
  });

  test("reports every problem at once", () => {
    expect(specProblems(makeCloneSet({ replicas: -1, updateStrategy: { partition: "x" } }).spec)).toHaveLength(2);
  });
});
