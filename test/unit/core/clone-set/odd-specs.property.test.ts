import { describe, test } from "@jest/globals";
import fc from "fast-check";
import type { CloneSet, CloneSetSpec } from "../../../../src/api/clone-set.js";
import { decideScale } from "../../../../src/core/clone-set/decide-scale.js";
import { decideUpdates } from "../../../../src/core/clone-set/decide-updates.js";
import { limitsOf } from "../../../../src/core/clone-set/limits.js";
import { newPod } from "../../../../src/core/clone-set/new-pod.js";
import { decideRevision, newRevision, revisionCandidate } from "../../../../src/core/clone-set/revisions.js";
import { specProblems } from "../../../../src/core/clone-set/spec-problems.js";
import { cloneSetStatus } from "../../../../src/core/clone-set/status.js";
import { unsupportedFields } from "../../../../src/core/clone-set/unsupported-fields.js";
import { beginUpdate } from "../../../../src/core/in-place-update/begin.js";
import { planUpdate } from "../../../../src/core/in-place-update/plan.js";
import { makeCloneSet, makeSetPod, observed } from "../../../support/clone-set.js";
import { mangled } from "../../../support/mangle.js";

const spec: CloneSetSpec = {
  replicas: 3,
  selector: { matchLabels: { app: "web" }, matchExpressions: [{ key: "app", operator: "In", values: ["web"] }] },
  template: {
    metadata: { labels: { app: "web", tier: "front" }, annotations: { config: "one" }, finalizers: ["a.b/c"] },
    spec: {
      containers: [
        { name: "app", image: "app:v1", env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['config']" } } }] },
        { name: "side", image: "side:v1" },
      ],
      readinessGates: [{ conditionType: "InPlaceUpdateReady" }],
    },
  },
  volumeClaimTemplates: [],
  scaleStrategy: { podsToDelete: [], maxUnavailable: "10%" },
  updateStrategy: {
    type: "InPlaceIfPossible",
    partition: "50%",
    maxUnavailable: 1,
    maxSurge: 0,
    paused: false,
    priorityStrategy: { orderPriority: [{ orderedKey: "a" }], weightPriority: [] },
    scatterStrategy: [{ key: "a", value: "b" }],
    inPlaceUpdateStrategy: { gracePeriodSeconds: 1, imagePreDownloadParallelism: 1 },
  },
  revisionHistoryLimit: 3,
  minReadySeconds: 0,
  lifecycle: { preDelete: { labelsHandler: { a: "b" }, finalizersHandler: ["a.b/c"] } },
  progressDeadlineSeconds: 600,
};

const now = { nowMs: 0, nowText: "1970-01-01T00:00:00Z" };

function roll(cloneSet: CloneSet): void {
  const candidate = revisionCandidate(cloneSet);
  decideRevision([newRevision(makeCloneSet(spec), candidate, { number: 1, collisionCount: 0 })], candidate);
  newPod(cloneSet, { template: candidate.template, revision: "web-1", instanceId: "abcde", nowText: now.nowText });
  const pod = makeSetPod({ revision: "web-1" });
  const from = revisionCandidate(makeCloneSet({ ...spec, template: cloneSet.spec.template })).template;
  for (const old of [from, revisionCandidate(makeCloneSet(spec)).template]) {
    const plan = planUpdate({ pod, from: old, to: candidate.template, envFromMetadata: true });
    if (plan.possible) beginUpdate({ pod, changes: plan.changes, revision: "web-2", graceSeconds: 0, nowMs: now.nowMs });
  }
}

describe("a CloneSet whose spec no schema has checked", () => {
  test("is either reported or rolled out, and has a status; no rule throws", () => {
    fc.assert(
      fc.property(mangled(spec), (odd) => {
        const cloneSet = makeCloneSet(odd);
        const problems = specProblems(cloneSet.spec);
        const pods = [observed("a"), observed("b", { isUpdated: false })];
        cloneSetStatus(cloneSet, {
          pods,
          updateRevision: "web-1",
          currentRevision: "web-1",
          collisionCount: 0,
          observedGeneration: 1,
          failures: [],
          nowText: now.nowText,
        });
        if (problems.length > 0) return;
        unsupportedFields(cloneSet.spec);
        const limits = limitsOf(cloneSet.spec);
        decideScale(pods, limits);
        decideUpdates(pods, limits);
        roll(cloneSet);
      }),
      { numRuns: 1_000 },
    );
  });
});
