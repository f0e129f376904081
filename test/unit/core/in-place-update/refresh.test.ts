import { describe, expect, test } from "@jest/globals";
import type { StringMap } from "../../../../src/api/meta.js";
import type { ContainerFacts } from "../../../../src/api/node-pod-restart.js";
import type { Pod } from "../../../../src/api/pod.js";
import { decideRefresh } from "../../../../src/core/in-place-update/refresh.js";
import {
  APP_ID,
  makePod,
  makeStatus,
  makeTemplate,
  metadataEnv,
  NEW_APP_ID,
  NEW_REVISION,
  NOW_MS,
  type PodOptions,
  readyConditions,
  SIDE_ID,
  V1_ID,
  V2_ID,
} from "./fixtures.js";

const STATE = "apps.kruise.io/inplace-update-state";
const GRACE = "apps.kruise.io/inplace-update-grace";
const META = "apps.kruise.io/runtime-containers-meta";
const NOW = "2026-11-29T17:16:53Z";
// Recorded: hashes of CONFIG=one and CONFIG=two, and of container app with image lab.local/app:v1 and v2.
const ONE = 1278337402;
const TWO = 935930711;
const PLAIN = { v1: 2804610836, v2: 2017780426, side: 3324433514 };
const ENV_STATE = `{"revision":"${NEW_REVISION}","updateTimestamp":"${NOW}","lastContainerStatuses":null,"updateEnvFromMetadata":true,"containerBatchesRecord":[{"timestamp":"${NOW}","containers":["app"]}]}`;
const IMAGE_STATE = `{"revision":"${NEW_REVISION}","updateTimestamp":"${NOW}","lastContainerStatuses":{"app":{"imageID":"${V1_ID}"}},"updateImages":true,"containerBatchesRecord":[{"timestamp":"${NOW}","containers":["app"]}]}`;

function updating(state: string, options: PodOptions = {}): Pod {
  return makePod({
    revision: NEW_REVISION,
    lifecycle: "Updating",
    conditions: readyConditions("False"),
    ...options,
    annotations: { [STATE]: state, ...options.annotations },
  });
}

const envTemplate = makeTemplate({ annotations: { config: "two" } });
const imageTemplate = makeTemplate({
  containers: [
    { name: "app", image: "lab.local/app:v2", env: [metadataEnv("CONFIG", "config")] },
    { name: "side", image: "lab.local/app:v1" },
  ],
});
const side = makeStatus({ name: "side", containerID: SIDE_ID });
const restartedApp = makeStatus({ name: "app", containerID: NEW_APP_ID, restartCount: 1 });

function facts(app: Partial<ContainerFacts>): readonly ContainerFacts[] {
  return [
    { name: "app", containerID: APP_ID, restartCount: 0, state: "Running", plainHash: PLAIN.v1, ...app },
    { name: "side", containerID: SIDE_ID, restartCount: 0, state: "Running", plainHash: PLAIN.side },
  ];
}

function refresh(pod: Pod, reported?: readonly ContainerFacts[], nowMs = NOW_MS) {
  return decideRefresh({ pod, facts: reported, nowMs });
}

const NEW_ENV = { containerID: NEW_APP_ID, restartCount: 1, envHash: TWO };
const NORMAL = {
  metadata: {
    resourceVersion: "700",
    labels: { "lifecycle.apps.kruise.io/state": "Normal" },
    annotations: { "lifecycle.apps.kruise.io/timestamp": NOW },
  },
};
const FLIP = { type: "InPlaceUpdateReady", status: "True", lastTransitionTime: NOW, reason: null };

describe("decideRefresh() of an env update", () => {
  test("completes with condition, facts annotation and lifecycle as recorded, in one write, once pod status shows the new container", () => {
    const pod = updating(ENV_STATE, { template: envTemplate, statuses: [restartedApp, side] });
    expect(refresh(pod, facts(NEW_ENV))).toEqual({
      type: "apply",
      step: "complete",
      change: {
        statusPatch: {
          metadata: {
            ...NORMAL.metadata,
            annotations: {
              ...NORMAL.metadata.annotations,
              [META]:
                '{"containers":[{"name":"app","containerID":"containerd://ce67fe35ab9039b5f32e5dc6be7fbdb820badb31b9cdd9144f1b0e75b8c71e98","restartCount":1,"hashes":{"plainHash":2804610836,"extractedEnvFromMetadataHash":935930711}},{"name":"side","containerID":"containerd://4084390873dfec266fa3552e39f09706343e0ae23c94ebff29d81a3611cbbebe","restartCount":0,"hashes":{"plainHash":3324433514,"extractedEnvFromMetadataHash":86995377}}]}',
            },
          },
          status: { conditions: [FLIP] },
        },
      },
    });
  });

  const ready = readyConditions("False").map((c) => (c.type === "Ready" ? { ...c, status: "True" } : c));
  const old = [makeStatus({ name: "app", containerID: APP_ID }), side];
  const endedApp = makeStatus({ name: "app", containerID: APP_ID, state: { waiting: { reason: "CrashLoopBackOff" } } });
  const oldMeta = `{"containers":[{"name":"app","containerID":"${APP_ID}","restartCount":0,"hashes":{"plainHash":1,"extractedEnvFromMetadataHash":${ONE}}}]}`;
  test.each<[string, "complete" | "agent" | "kubelet", PodOptions, readonly ContainerFacts[] | undefined]>([
    ["the agent reports the new container and the pod is out of service", "complete", {}, facts(NEW_ENV)],
    ["Ready is still True in this version", "kubelet", { conditions: ready }, facts(NEW_ENV)],
    ["the reported container does not run", "kubelet", {}, facts({ ...NEW_ENV, state: "Created" })],
    ["the reported container has the wrong env", "agent", {}, facts({ ...NEW_ENV, envHash: ONE })],
    ["the report lacks the env hash", "agent", {}, facts({ containerID: NEW_APP_ID, restartCount: 1 })],
    ["the report is about the old container", "agent", {}, facts({ envHash: ONE })],
    ["there is no report", "agent", { statuses: [restartedApp, side] }, undefined],
    ["the report is older than pod status", "agent", { statuses: [restartedApp, side] }, facts({ envHash: TWO })],
    ["the report has another ID at the same restart count", "agent", {}, facts({ ...NEW_ENV, restartCount: 0 })],
    ["the container has no status", "kubelet", { statuses: [side] }, facts(NEW_ENV)],
    ["it has ended and waits for its next start", "kubelet", {}, facts({ envHash: ONE, state: "Exited" })],
    ["it has ended, by the annotation", "kubelet", { statuses: [endedApp, side], annotations: { [META]: oldMeta } }, undefined],
    ["the live env is right already", "complete", {}, facts({ envHash: TWO })],
    [
      "the new container crashed at once: the next one may start from an older version of the pod",
      "kubelet",
      { statuses: [restartedApp, side] },
      facts({ ...NEW_ENV, state: "Exited" }),
    ],
  ])("when %s: %s", (_, want, options, reported) => {
    const decision = refresh(updating(ENV_STATE, { template: envTemplate, statuses: old, ...options }), reported);
    if (want === "complete") expect(decision).toMatchObject({ type: "apply", step: "complete" });
    else expect(decision).toMatchObject({ type: "wait", wait: { waitingFor: want, container: "app", sinceMs: NOW_MS } });
  });

  test("is complete on a pod that no node has taken yet: its containers start from this version of it or a newer one", () => {
    const pod = updating(ENV_STATE, { template: envTemplate, statuses: [] });
    expect(refresh({ ...pod, spec: { ...pod.spec, nodeName: "" } })).toMatchObject({ type: "apply", step: "complete" });
    expect(refresh(pod)).toMatchObject({ type: "wait", wait: { message: 'container "app" has not been started yet' } });
  });

  test("takes from OpenKruise's annotation how the container in pod status was started, but not that it still runs", () => {
    const meta = (id: string) =>
      `{"containers":[{"name":"app","containerID":"${id}","restartCount":1,"hashes":{"plainHash":1,"extractedEnvFromMetadataHash":${TWO}}}]}`;
    const pod = (id: string) =>
      updating(ENV_STATE, { template: envTemplate, statuses: [restartedApp, side], annotations: { [META]: meta(id) } });
    const running = facts({ containerID: NEW_APP_ID, restartCount: 1, plainHash: 1 }).slice(0, 1);
    const decision = refresh(pod(NEW_APP_ID), running);
    expect(decision).toMatchObject({ type: "apply", step: "complete" });
    expect(decision.type === "apply" && decision.change.statusPatch?.metadata).toEqual(NORMAL.metadata);
    expect(refresh(pod(APP_ID), running)).toMatchObject({ type: "wait", wait: { waitingFor: "agent" } });
    const unknown = facts({ containerID: NEW_APP_ID, restartCount: 1, state: "Unknown" });
    for (const reported of [undefined, unknown]) {
      const message = `container "app" has no report by the node's agent that it still runs`;
      expect(refresh(pod(NEW_APP_ID), reported)).toMatchObject({ type: "wait", wait: { waitingFor: "agent", message } });
    }
    expect(refresh(updating(ENV_STATE, { template: envTemplate, annotations: { [META]: "{" } }))).toMatchObject({ type: "wait" });
  });
});

describe("decideRefresh() of an image update", () => {
  const renewed = makeStatus({ name: "app", containerID: NEW_APP_ID, restartCount: 1, image: "lab.local/app:v2", imageID: V2_ID });
  const old = makeStatus({ name: "app", containerID: APP_ID });
  const pulling = { ...old, state: { waiting: { reason: "ImagePullBackOff", message: "secret" } } };
  const newFacts = facts({ containerID: NEW_APP_ID, restartCount: 1, plainHash: PLAIN.v2 });
  const oldKubelet = facts({ containerID: NEW_APP_ID, restartCount: 1, plainHash: 1 });
  test.each<[string, "complete" | "kubelet" | "image pull", PodOptions, readonly ContainerFacts[] | undefined]>([
    ["pod status has a new image ID and there is no report", "complete", { statuses: [renewed] }, undefined],
    ["pod status has the old image ID", "kubelet", { statuses: [old] }, undefined],
    ["the kubelet cannot pull", "image pull", { statuses: [pulling] }, facts({})],
    ["the same digest has the new name, written in full", "complete", { statuses: [{ ...old, image: "lab.local/app:v2" }] }, undefined],
    ["the report's hash is that of the spec, in pod status or not", "complete", { statuses: [old] }, newFacts],
    ["the report's hash is the old one", "kubelet", { statuses: [{ ...old, image: "lab.local/app:v2" }] }, facts({})],
    ["the hash is an older kubelet's, but ID and name are new", "complete", { statuses: [renewed] }, oldKubelet],
    [
      "the hash is an older kubelet's, and the name is another",
      "kubelet",
      { statuses: [{ ...renewed, image: "lab.local/app:v3" }] },
      oldKubelet,
    ],
    ["the hash is an older kubelet's, and status does not show it", "kubelet", { statuses: [old] }, oldKubelet],
    ["the container has no image ID", "kubelet", { statuses: [{ ...old, imageID: "" }] }, undefined],
  ])("when %s: %s", (_, want, options, reported) => {
    const decision = refresh(updating(IMAGE_STATE, { template: imageTemplate, ...options }), reported);
    if (want === "complete") expect(decision).toMatchObject({ type: "apply", step: "complete", change: { statusPatch: NORMAL } });
    else expect(decision).toMatchObject({ type: "wait", wait: { waitingFor: want, container: "app" } });
    expect(JSON.stringify(decision)).not.toContain("secret");
    expect(JSON.stringify(decision)).not.toContain("runtime-containers-meta");
  });

  test("says that a container has ended instead of what it would lack if it ran", () => {
    const terminated = { terminated: { exitCode: 0 } };
    const decision = refresh(updating(IMAGE_STATE, { template: imageTemplate, statuses: [{ ...old, state: terminated }] }));
    expect(decision).toMatchObject({ wait: { waitingFor: "kubelet", message: 'container "app" is not running yet' } });
  });

  // The kubelet alternates between the two with each try; each flip would be news to the user otherwise.
  test.each(["ErrImagePull", "ImagePullBackOff"])("says the same and names the image while the kubelet reports %s", (reason) => {
    const decision = refresh(updating(IMAGE_STATE, { template: imageTemplate, statuses: [{ ...old, state: { waiting: { reason } } }] }));
    const message = 'container "app" cannot start without its image "lab.local/app:v2": ImagePullBackOff';
    expect(decision).toMatchObject({ wait: { message } });
  });

  test.each([
    ["nginx", "docker.io/library/nginx:latest"],
    ["nginx:1", "docker.io/library/nginx:1"],
    ["host:5000/app", "host:5000/app:latest"],
  ])("takes image %s and status %s for the same (BUG-4)", (spec, status) => {
    const template = makeTemplate({ containers: [{ name: "app", image: spec }] });
    const pod = (image: string) => updating(IMAGE_STATE, { template, statuses: [{ ...old, image }] });
    expect(refresh(pod(status))).toMatchObject({ type: "apply" });
    expect(refresh(pod(`${status}x`))).toMatchObject({ type: "wait" });
  });

  test("compares a digest with the image ID (BUG-4)", () => {
    const template = makeTemplate({ containers: [{ name: "app", image: V1_ID }] });
    expect(refresh(updating(IMAGE_STATE, { template, statuses: [{ ...old, image: "lab.local/app:v1" }] }))).toMatchObject({
      type: "apply",
    });
  });

  test.each([
    ["without a report", undefined],
    // Rolled back: the kubelet may have replaced this instance by one of the image rolled back from, and not told anybody yet.
    ["with a report on the instance that it names", newFacts],
  ])("does not take a status from before the change for an answer, %s", (_, reported) => {
    const pod = updating(IMAGE_STATE, { template: imageTemplate, statuses: [renewed] });
    const at = (observedGeneration: number): Pod => ({
      ...pod,
      metadata: { ...pod.metadata, generation: 2 },
      status: { ...pod.status, observedGeneration },
    });
    expect(refresh(at(1), reported)).toMatchObject({ type: "wait", wait: { waitingFor: "kubelet" } });
    expect(refresh(at(2), reported)).toMatchObject({ type: "apply" });
  });

  test("of a container that had no image yet asks for the right name, not only a new ID", () => {
    const state = IMAGE_STATE.replace(`{"imageID":"${V1_ID}"}`, "{}");
    expect(refresh(updating(state, { template: imageTemplate, statuses: [old] }))).toMatchObject({ type: "wait" });
    expect(refresh(updating(state, { template: imageTemplate, statuses: [renewed] }))).toMatchObject({ type: "apply" });
  });

  test("of a pod without the gate ends with the lifecycle label, never on the agent's word alone", () => {
    const pod = (statuses: PodOptions["statuses"]) =>
      updating(IMAGE_STATE, { template: imageTemplate, gates: [], statuses: statuses ?? [] });
    expect(refresh(pod([old]), newFacts)).toMatchObject({ type: "wait", wait: { waitingFor: "kubelet" } });
    expect(refresh(pod([renewed]), newFacts)).toEqual({ type: "apply", step: "complete", change: { patch: NORMAL } });
  });
});

describe("decideRefresh() during a grace period", () => {
  const spec = `{"revision":"${NEW_REVISION}","containerImages":{"app":"lab.local/app:v2"},"graceSeconds":5}`;
  const state = `{"revision":"${NEW_REVISION}","updateTimestamp":"${NOW}","lastContainerStatuses":null,"updateImages":true}`;
  const inGrace = (annotations: StringMap = {}, options: PodOptions = {}) =>
    updating(state, { ...options, annotations: { [GRACE]: spec, ...annotations } });

  test("waits for whole seconds, then applies what waits as recorded", () => {
    expect(refresh(inGrace(), undefined, NOW_MS + 3001)).toMatchObject({
      type: "wait",
      wait: { waitingFor: "grace" },
      requeueAfterMs: 2000,
    });
    expect(refresh(inGrace(), undefined, NOW_MS + 4999)).toMatchObject({ type: "wait", requeueAfterMs: 1000 });
    expect(refresh(inGrace(), undefined, NOW_MS + 5000)).toEqual({
      type: "apply",
      step: "finish-grace",
      change: {
        patch: {
          metadata: {
            resourceVersion: "700",
            annotations: {
              [GRACE]: null,
              [STATE]: `{"revision":"${NEW_REVISION}","updateTimestamp":"${NOW}","lastContainerStatuses":{"app":{"imageID":"${V1_ID}"}},"updateImages":true,"containerBatchesRecord":[{"timestamp":"2026-11-29T17:16:58Z","containers":["app"]}]}`,
            },
          },
          spec: { containers: [{ name: "app", image: "lab.local/app:v2" }] },
        },
      },
    });
  });

  test("lasts no longer than its length where another clock, which was ahead, wrote its beginning", () => {
    const behindMs = NOW_MS - 300_000;
    const after = (forMs: number, sinceMs = NOW_MS) =>
      decideRefresh({ pod: inGrace(), facts: undefined, nowMs: behindMs + forMs, waited: { sinceMs, forMs } });
    expect(refresh(inGrace(), undefined, behindMs)).toMatchObject({ type: "wait", requeueAfterMs: 5000 });
    expect(after(4_999)).toMatchObject({ type: "wait", requeueAfterMs: 1000 });
    expect(after(5_000)).toMatchObject({ step: "finish-grace" });
    expect(after(5_000, NOW_MS - 9_000)).toMatchObject({ type: "wait" }); // what was seen was another wait
  });

  test("applies OpenKruise's env changes and removed keys, and restarts their readers", () => {
    const patch = Buffer.from('{"metadata":{"annotations":{"config":null},"labels":{"tier":"front"}}}').toString("base64");
    const removed = `{"revision":"${NEW_REVISION}","metaDataPatch":"${patch}","updateEnvFromMetadata":true,"graceSeconds":5}`;
    const decision = refresh(inGrace({ [GRACE]: removed }), undefined, NOW_MS + 5000);
    expect(decision).toMatchObject({
      change: { patch: { metadata: { labels: { tier: "front" }, annotations: { config: null, [GRACE]: null } } } },
    });
    expect(JSON.stringify(decision)).toContain('\\"containers\\":[\\"app\\"]');
  });

  test("drops a grace period of another revision", () => {
    expect(refresh(inGrace({}, { revision: "web-other" }))).toEqual({
      type: "apply",
      step: "drop-grace",
      change: { patch: { metadata: { resourceVersion: "700", annotations: { [GRACE]: null } } } },
    });
  });

  test("rebuilds a broken state instead of staying in grace for ever (BUG-7)", () => {
    const broken = inGrace({ [STATE]: "{", "lifecycle.apps.kruise.io/timestamp": NOW });
    expect(refresh(broken, undefined, NOW_MS + 1000)).toMatchObject({ type: "wait", requeueAfterMs: 4000 });
    expect(refresh(broken, undefined, NOW_MS + 5000)).toMatchObject({ step: "finish-grace" });
    expect(refresh(inGrace({ [STATE]: "{" }))).toMatchObject({ step: "finish-grace" });
  });

  test("surfaces a broken grace annotation, and a resource change", () => {
    expect(refresh(inGrace({ [GRACE]: "{" }))).toMatchObject({ type: "broken", reason: "GraceUnreadable" });
    const resources = `{"revision":"${NEW_REVISION}","containerResources":{"app":{}},"graceSeconds":5}`;
    expect(refresh(inGrace({ [GRACE]: resources }))).toMatchObject({ type: "broken" });
  });
});

describe("decideRefresh() of batches that OpenKruise began", () => {
  const next = `{"revision":"${NEW_REVISION}","updateTimestamp":"${NOW}","lastContainerStatuses":{"app":{"imageID":"${V1_ID}"}},"updateImages":true,"nextContainerImages":{"side":"lab.local/app:v2"},"preCheckBeforeNext":{"containersRequiredReady":["app"]},"containerBatchesRecord":[{"timestamp":"${NOW}","containers":["app"]}]}`;
  const renewed = makeStatus({ name: "app", containerID: NEW_APP_ID, restartCount: 1, image: "lab.local/app:v2", imageID: V2_ID });
  const pod = (app = renewed) => updating(next, { template: imageTemplate, statuses: [app, side] });

  test("waits for the batch, then for its readiness, then writes the next as recorded", () => {
    expect(refresh(pod(makeStatus({ name: "app", containerID: APP_ID })))).toMatchObject({ type: "wait", wait: { waitingFor: "kubelet" } });
    expect(refresh(pod({ ...renewed, ready: false }))).toMatchObject({ type: "wait", wait: { waitingFor: "readiness", container: "app" } });
    const early = facts({ containerID: NEW_APP_ID, restartCount: 1, plainHash: PLAIN.v2 });
    expect(refresh(pod(makeStatus({ name: "app", containerID: APP_ID })), early)).toMatchObject({ wait: { waitingFor: "readiness" } });
    expect(refresh(pod(), undefined, NOW_MS + 5000)).toEqual({
      type: "apply",
      step: "next-batch",
      change: {
        patch: {
          metadata: {
            resourceVersion: "700",
            annotations: {
              [STATE]: `{"revision":"${NEW_REVISION}","updateTimestamp":"${NOW}","lastContainerStatuses":{"app":{"imageID":"${V1_ID}"},"side":{"imageID":"${V1_ID}"}},"updateImages":true,"containerBatchesRecord":[{"timestamp":"${NOW}","containers":["app"]},{"timestamp":"2026-11-29T17:16:58Z","containers":["side"]}]}`,
            },
          },
          spec: { containers: [{ name: "side", image: "lab.local/app:v2" }] },
        },
      },
    });
  });

  test("says that waiting resources are not implemented (BUG-2)", () => {
    const resources = next.replace('"nextContainerImages":{"side":"lab.local/app:v2"}', '"nextContainerResources":{"side":{}}');
    expect(refresh(updating(resources, { template: imageTemplate, statuses: [renewed, side] }))).toMatchObject({
      wait: { waitingFor: "unsupported" },
    });
  });
});

describe("decideRefresh() otherwise", () => {
  const gate = (status: string, more: object = {}) => [
    ...readyConditions().filter((c) => c.type !== "InPlaceUpdateReady"),
    { type: "InPlaceUpdateReady", status, ...more },
  ];
  const fresh = readyConditions().filter((c) => c.type !== "InPlaceUpdateReady");

  test("gives a new pod its first condition and, once scheduled, its lifecycle", () => {
    expect(refresh(makePod({ lifecycle: "PreparingNormal", conditions: [] }))).toEqual({
      type: "apply",
      step: "mark-ready",
      change: {
        statusPatch: {
          metadata: { resourceVersion: "700" },
          status: { conditions: [{ type: "InPlaceUpdateReady", status: "True", lastTransitionTime: NOW }] },
        },
      },
    });
    expect(refresh(makePod({ lifecycle: "PreparingNormal", conditions: fresh }))).toMatchObject({
      change: { statusPatch: NORMAL },
    });
    expect(refresh(makePod({ lifecycle: "PreparingNormal" }))).toEqual({ type: "apply", step: "lifecycle", change: { patch: NORMAL } });
  });

  test("cleans a True condition without moving its time", () => {
    const pod = makePod({ conditions: gate("True", { reason: "x", message: "y", lastTransitionTime: "2020-01-01T00:00:00Z" }) });
    expect(refresh(pod)).toMatchObject({
      change: { statusPatch: { status: { conditions: [{ reason: null, message: null, lastTransitionTime: "2020-01-01T00:00:00Z" }] } } },
    });
  });

  test("flips back a pod whose update never got past the condition", () => {
    expect(refresh(makePod({ conditions: readyConditions("False") }))).toMatchObject({ step: "mark-ready" });
    expect(refresh(makePod({ conditions: readyConditions("False"), annotations: { [STATE]: ENV_STATE } }))).toMatchObject({
      step: "mark-ready",
    });
  });

  test("finishes the label of a pod whose condition was already flipped, and of plain metadata", () => {
    expect(refresh(updating(ENV_STATE, { conditions: readyConditions() }))).toEqual({
      type: "apply",
      step: "lifecycle",
      change: { patch: NORMAL },
    });
  });

  test("adds a missing template hash", () => {
    const pod = makePod();
    const labels = Object.fromEntries(Object.entries(pod.metadata.labels ?? {}).filter(([key]) => key !== "pod-template-hash"));
    expect(refresh({ ...pod, metadata: { ...pod.metadata, labels } })).toEqual({
      type: "apply",
      step: "lifecycle",
      change: { patch: { metadata: { resourceVersion: "700", labels: { "pod-template-hash": "5f6b46497d" } } } },
    });
  });

  test.each<[string, PodOptions]>([
    ["a settled pod", {}],
    ["a settled pod with a finished update", { annotations: { [STATE]: ENV_STATE } }],
    ["a settled pod with a broken state annotation", { annotations: { [STATE]: "{" } }],
    ["a settled pod without the gate", { gates: [], conditions: [] }],
    ["a terminating pod", { deletionTimestamp: NOW, conditions: [], annotations: { [GRACE]: "{" } }],
    ["a failed pod", { phase: "Failed", conditions: [] }],
    ["a pod about to be deleted", { lifecycle: "PreparingDelete" }],
  ])("has nothing to do for %s", (_, options) => {
    expect(refresh(makePod(options))).toEqual({ type: "none" });
  });

  test("surfaces a broken state annotation of an unfinished update, without quoting it", () => {
    expect(refresh(updating("{secret"))).toEqual({
      type: "broken",
      reason: "StateUnreadable",
      message: "Cannot read the state annotation of the update: the annotation is not JSON",
    });
  });

  test("says what an update waits for, since when", () => {
    const pod = updating(ENV_STATE, { template: envTemplate });
    expect(refresh(pod, facts({ envHash: ONE }), NOW_MS + 60_000)).toEqual({
      type: "wait",
      wait: {
        waitingFor: "agent",
        container: "app",
        sinceMs: NOW_MS,
        message: 'container "app" still runs with its old environment',
      },
    });
  });
});
