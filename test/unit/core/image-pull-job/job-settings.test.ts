import { describe, expect, test } from "@jest/globals";
import type { ImagePullJobSpec } from "../../../../src/api/image-pull-job.js";
import { jobProblem, jobSettings } from "../../../../src/core/image-pull-job/job-settings.js";

function spec(rest: Partial<ImagePullJobSpec>): ImagePullJobSpec {
  return { image: "nginx", completionPolicy: {}, ...rest };
}

describe("jobSettings()", () => {
  test("defaults", () => {
    expect(jobSettings(spec({}))).toEqual({
      image: "nginx",
      tag: "latest",
      imagePullPolicy: "IfNotPresent",
      parallelism: 1,
      endsWithAllNodes: true,
      timeoutSeconds: 600,
      backoffLimit: 3,
      activeDeadlineSeconds: undefined,
      ttlSecondsAfterFinished: undefined,
    });
  });

  for (const [parallelism, want] of [
    [10, 10],
    ["10", 10],
    [0, 0],
    ["0", 0],
  ] as const) {
    test(`parallelism ${JSON.stringify(parallelism)} means ${want}`, () =>
      expect(jobSettings(spec({ parallelism }))?.parallelism).toBe(want));
  }
});

describe("jobProblem()", () => {
  for (const { given, want } of [
    { given: {}, want: undefined },
    { given: { pullSecrets: [] }, want: undefined },
    { given: { selector: {} }, want: undefined },
    { given: { completionPolicy: { type: "Never" } }, want: undefined },
    { given: { pullSecrets: ["a"] }, want: /^spec\.pullSecrets is not supported yet: create the job again without it/ },
    { given: { image: "A b" }, want: /^spec\.image "A b" is not an image reference/ },
    { given: { parallelism: "10%" }, want: /^spec\.parallelism "10%" is not a number/ },
    { given: { parallelism: -1 }, want: /^spec\.parallelism "-1"/ },
    { given: { selector: {}, podSelector: {} }, want: /exclude each other/ },
    { given: { selector: { matchLabels: { "a b": "c" } } }, want: /^spec\.selector is malformed: "a b"/ },
    { given: { podSelector: { matchExpressions: [{ key: "a", operator: "Has" }] } }, want: /^spec\.podSelector is malformed: "Has"/ },
    { given: { completionPolicy: { type: "Soon" } }, want: /^spec\.completionPolicy\.type "Soon" is unknown/ },
  ]) {
    test(`jobProblem() of ${JSON.stringify(given)}`, () => {
      const problem = jobProblem(spec(given));
      if (want === undefined) expect(problem).toBeUndefined();
      else expect(problem).toMatch(want);
    });
  }
});
