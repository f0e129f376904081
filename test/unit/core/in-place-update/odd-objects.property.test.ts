import { describe, test } from "@jest/globals";
import fc from "fast-check";
import type { ContainerFacts } from "../../../../src/api/node-pod-restart.js";
import type { Pod, PodTemplate } from "../../../../src/api/pod.js";
import { observePod } from "../../../../src/core/clone-set/observed-pod.js";
import { inDeleteOrder, inUpdateOrder } from "../../../../src/core/clone-set/order.js";
import { holdsTemplate, revisionCandidate } from "../../../../src/core/clone-set/revisions.js";
import { nextActivity } from "../../../../src/core/container-restart/kubelet-window.js";
import { wishOfPod } from "../../../../src/core/container-restart/wish-of-pod.js";
import { beginUpdate } from "../../../../src/core/in-place-update/begin.js";
import { planUpdate } from "../../../../src/core/in-place-update/plan.js";
import { decideRefresh } from "../../../../src/core/in-place-update/refresh.js";
import { revisionData, templateOfRevision } from "../../../../src/core/revision/revision-data.js";
import { defaultTemplate } from "../../../../src/core/revision/template-defaults.js";
import { makeCloneSet } from "../../../support/clone-set.js";
import { mangled } from "../../../support/mangle.js";

const env = [
  { name: "CONFIG", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['config']" } } },
  { name: "KRUISE_CONTAINER_BARRIER", valueFrom: { configMapKeyRef: { name: "barrier", key: "p_1" } } },
];
const template: PodTemplate = {
  metadata: { labels: { app: "web" }, annotations: { config: "one" }, finalizers: ["a.b/c"] },
  spec: {
    containers: [
      { name: "app", image: "app:v1", env },
      { name: "side", image: "side:v1" },
    ],
    readinessGates: [{ conditionType: "InPlaceUpdateReady" }],
  },
};
const newTemplate: PodTemplate = {
  ...template,
  metadata: { ...template.metadata, annotations: { config: "two" } },
  spec: { ...template.spec, containers: [{ name: "app", image: "app:v2", env }, ...template.spec.containers.slice(1)] },
};

const state = {
  revision: "web-1",
  updateTimestamp: "2026-01-02T03:04:05Z",
  lastContainerStatuses: { app: { imageID: "app@sha256:1" } },
  updateEnvFromMetadata: true,
  nextContainerImages: { side: "side:v2" },
  nextContainerRefMetadata: { side: { labels: { a: "b" } } },
  nextContainerResources: {},
  preCheckBeforeNext: { containersRequiredReady: ["app"] },
  containerBatchesRecord: [{ timestamp: "2026-01-02T03:04:05Z", containers: ["app"] }],
};
const grace = {
  revision: "web-1",
  containerImages: { app: "app:v2" },
  containerRefMetadata: { app: { annotations: { config: "two" } } },
  metaDataPatch: btoa('{"metadata":{"labels":{"a":null}}}'),
  updateEnvFromMetadata: true,
  graceSeconds: 5,
};
const meta = { containers: [{ name: "app", containerID: "containerd://1", restartCount: 0, hashes: { plainHash: 1 } }] };

/** What the API server, whose types are checked, can send: fields may be missing, texts may be anything. */
function podWith(annotations: Readonly<Record<string, string>>, status: Pod["status"] | undefined): Pod {
  return {
    metadata: {
      name: "web-a",
      namespace: "shop",
      uid: "uid",
      resourceVersion: "1",
      labels: { "controller-revision-hash": "web-1", "lifecycle.apps.kruise.io/state": "Updating" },
      annotations: { config: "one", ...annotations },
    },
    spec: { nodeName: "node1", ...template.spec },
    ...(status === undefined ? {} : { status }),
  };
}

const text = (document: object): fc.Arbitrary<string> =>
  fc.oneof(
    mangled(document).map((odd) => JSON.stringify(odd)),
    fc.string(),
  );
const statuses: fc.Arbitrary<Pod["status"] | undefined> = fc.option(
  fc.record(
    {
      phase: fc.constantFrom("Running", "Pending", ""),
      conditions: fc.array(
        fc.record({
          type: fc.constantFrom("Ready", "InPlaceUpdateReady", "PodScheduled"),
          status: fc.constantFrom("True", "False", "", "x"),
        }),
      ),
      containerStatuses: fc.array(
        fc.record({
          name: fc.constantFrom("app", "side", ""),
          ready: fc.boolean(),
          restartCount: fc.nat(),
          image: fc.constantFrom("app:v2", "", "!"),
          imageID: fc.constantFrom("", "app@sha256:1", "x"),
          containerID: fc.constantFrom("", "containerd://1", "x"),
        }),
      ),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const pods: fc.Arbitrary<Pod> = fc
  .record(
    {
      "apps.kruise.io/inplace-update-state": text(state),
      "inplace-update-state": text(state),
      "apps.kruise.io/inplace-update-grace": text(grace),
      "apps.kruise.io/runtime-containers-meta": text(meta),
      "lifecycle.apps.kruise.io/timestamp": fc.string(),
      "controller.kubernetes.io/pod-deletion-cost": fc.string(),
    },
    { requiredKeys: [] },
  )
  .chain((annotations) => statuses.map((status) => podWith(annotations as Record<string, string>, status)));

const facts: readonly ContainerFacts[] = [{ name: "app", containerID: "containerd://2", restartCount: 1, state: "Running", plainHash: 1 }];
const nowMs = Date.parse("2026-01-02T03:04:06Z");

describe("a pod with whatever people and other programs wrote on it", () => {
  test("never makes a rule throw", () => {
    fc.assert(
      fc.property(pods, fc.boolean(), (pod, withFacts) => {
        decideRefresh({ pod, facts: withFacts ? facts : undefined, nowMs });
        wishOfPod(pod);
        nextActivity(undefined, { before: pod, after: pod }, nowMs);
        const seen = observePod(pod, { updateRevision: "web-1", minReadySeconds: 1, nowMs });
        inUpdateOrder([seen, seen]);
        inDeleteOrder([seen, seen], [seen]);
        const plan = planUpdate({ pod, from: template, to: newTemplate, envFromMetadata: true });
        if (plan.possible) beginUpdate({ pod, changes: plan.changes, revision: "web-2", graceSeconds: 5, nowMs });
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a revision whose data nobody has checked", () => {
  test("is no template, or one that every rule can use", () => {
    const pod = podWith({}, undefined);
    const candidate = revisionCandidate(makeCloneSet({ template }));
    fc.assert(
      fc.property(mangled(revisionData(defaultTemplate(template)).data), (data) => {
        holdsTemplate(data, candidate);
        const from = templateOfRevision(data);
        planUpdate({ pod, from, to: newTemplate, envFromMetadata: true });
        if (from !== undefined) planUpdate({ pod, from, to: from, envFromMetadata: true });
      }),
      { numRuns: 1_000 },
    );
  });
});
