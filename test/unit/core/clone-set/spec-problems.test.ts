import { describe, expect, test } from "@jest/globals";
import type { CloneSetSpec } from "../../../../src/api/clone-set.js";
import type { PodTemplate } from "../../../../src/api/pod.js";
import { specProblems } from "../../../../src/core/clone-set/spec-problems.js";
import { makeCloneSet } from "../../../support/clone-set.js";

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

describe("specProblems()", () => {
  test.each(cases)("names $field when $when", ({ spec, field, says }) => {
    const problems = specProblems(makeCloneSet(spec).spec);
    expect(problems.map((problem) => problem.field)).toEqual([field]);
    expect(problems[0]?.message).toContain(says);
  });

  test.each<Partial<CloneSetSpec>>([
    {},
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
