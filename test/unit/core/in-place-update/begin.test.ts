import { describe, expect, test } from "@jest/globals";
import type { Pod, PodTemplate } from "../../../../src/api/pod.js";
import { beginUpdate } from "../../../../src/core/in-place-update/begin.js";
import { withResourceVersion } from "../../../../src/core/in-place-update/change.js";
import { planUpdate } from "../../../../src/core/in-place-update/plan.js";
import { makePod, makeStatus, makeTemplate, metadataEnv, NEW_REVISION, NOW_MS, readyConditions, V1_ID } from "./fixtures.js";

const STATE = "apps.kruise.io/inplace-update-state";
const GRACE = "apps.kruise.io/inplace-update-grace";
const NOW = "2026-11-29T17:16:53Z";
const NOT_READY = 'the status of pod readiness gate "InPlaceUpdateReady" is not "True", but False';
const LABELS = {
  "controller-revision-hash": NEW_REVISION,
  "pod-template-hash": "9b99b747b",
  "lifecycle.apps.kruise.io/state": "Updating",
};

function begin(to: PodTemplate, options: { pod?: Pod; from?: PodTemplate; graceSeconds?: number } = {}) {
  const from = options.from ?? makeTemplate();
  const pod = options.pod ?? makePod({ template: from });
  const plan = planUpdate({ pod, from, to, envFromMetadata: true });
  if (!plan.possible) throw new Error(plan.reason);
  return beginUpdate({ pod, changes: plan.changes, revision: NEW_REVISION, graceSeconds: options.graceSeconds ?? 0, nowMs: NOW_MS });
}

const env = makeTemplate({ annotations: { config: "two" } });
const image = makeTemplate({
  containers: [
    { name: "app", image: "lab.local/app:v2", env: [metadataEnv("CONFIG", "config")] },
    { name: "side", image: "lab.local/app:v1" },
  ],
});

describe("beginUpdate()", () => {
  test("writes what the recording env-update shows, in one write", () => {
    expect(begin(env)).toEqual({
      statusPatch: {
        status: {
          conditions: [
            { type: "InPlaceUpdateReady", status: "False", reason: "StartInPlaceUpdate", lastTransitionTime: NOW },
            { type: "Ready", status: "False", reason: "ReadinessGatesNotReady", message: NOT_READY, lastTransitionTime: NOW },
          ],
        },
        metadata: {
          resourceVersion: "700",
          labels: LABELS,
          annotations: {
            config: "two",
            "lifecycle.apps.kruise.io/timestamp": NOW,
            [STATE]: `{"revision":"web-9b99b747b","updateTimestamp":"${NOW}","lastContainerStatuses":null,"updateEnvFromMetadata":true,"containerBatchesRecord":[{"timestamp":"${NOW}","containers":["app"]}]}`,
          },
        },
      },
    });
  });

  test("takes the pod out of service first when more than labels and annotations change", () => {
    expect(begin(image)).toMatchObject({ statusPatch: { metadata: { resourceVersion: "700" } }, patch: { metadata: { labels: LABELS } } });
    const finalizer = { ...env, metadata: { ...env.metadata, finalizers: ["x/y"] } };
    expect(begin(finalizer)).toMatchObject({ statusPatch: {}, patch: { metadata: { labels: LABELS, finalizers: ["x/y"] } } });
    expect(begin(finalizer).statusPatch?.metadata).toEqual({ resourceVersion: "700" });
  });

  test("writes an image change with the image ID from before", () => {
    const { patch } = begin(image);
    expect(patch?.spec).toEqual({ containers: [{ name: "app", image: "lab.local/app:v2" }] });
    expect(patch?.metadata.annotations?.[STATE]).toBe(
      `{"revision":"web-9b99b747b","updateTimestamp":"${NOW}","lastContainerStatuses":{"app":{"imageID":"${V1_ID}"}},"updateImages":true,"containerBatchesRecord":[{"timestamp":"${NOW}","containers":["app"]}]}`,
    );
  });

  test("changes plain metadata without taking the pod out of service and without grace (BUG-12)", () => {
    const change = begin(makeTemplate({ labels: { app: "web", tier: "front" } }), { graceSeconds: 5 });
    expect(change.statusPatch).toBeUndefined();
    expect(change.patch).toEqual({
      metadata: {
        resourceVersion: "700",
        labels: { ...LABELS, tier: "front" },
        annotations: {
          "lifecycle.apps.kruise.io/timestamp": NOW,
          [STATE]: `{"revision":"web-9b99b747b","updateTimestamp":"${NOW}","lastContainerStatuses":null,"containerBatchesRecord":[{"timestamp":"${NOW}","containers":[]}]}`,
        },
      },
    });
  });

  test("during a grace period writes what the recording grace shows and leaves the containers alone", () => {
    const { patch, statusPatch } = begin(image, { graceSeconds: 5 });
    expect(patch).toBeUndefined();
    expect(statusPatch?.metadata.annotations).toEqual({
      "lifecycle.apps.kruise.io/timestamp": NOW,
      [GRACE]: '{"revision":"web-9b99b747b","containerImages":{"app":"lab.local/app:v2"},"graceSeconds":5}',
      [STATE]: `{"revision":"web-9b99b747b","updateTimestamp":"${NOW}","lastContainerStatuses":null,"updateImages":true}`,
    });
  });

  test("keeps changed metadata back during a grace period, a removed key in the base64 patch", () => {
    const { statusPatch } = begin(makeTemplate({ annotations: { note: "x" } }), { graceSeconds: 5 });
    expect(statusPatch?.metadata.annotations).not.toHaveProperty("config");
    const grace = JSON.parse(statusPatch?.metadata.annotations?.[GRACE] ?? "") as { readonly metaDataPatch: string };
    expect(grace).toMatchObject({ updateEnvFromMetadata: true, graceSeconds: 5 });
    expect(JSON.parse(Buffer.from(grace.metaDataPatch, "base64").toString())).toEqual({
      metadata: { annotations: { config: null, note: "x" } },
    });
  });

  test("needs no status patch for a pod without the gate, or out of service already", () => {
    expect(begin(image, { pod: makePod({ gates: [] }) }).statusPatch).toBeUndefined();
    expect(begin(image, { pod: makePod({ conditions: readyConditions("False") }) }).statusPatch).toBeUndefined();
  });

  test("leaves Ready alone unless it is True with ready containers, and names every gate that is closed", () => {
    const conditions = readyConditions().map((c) => (c.type === "ContainersReady" ? { ...c, status: "False" } : c));
    expect(begin(env, { pod: makePod({ conditions }) }).statusPatch?.status.conditions).toHaveLength(1);
    const gates = ["KruisePodReady", "InPlaceUpdateReady", "Mine"];
    const pod = makePod({ gates, conditions: [...readyConditions(), { type: "Mine", status: "Unknown" }] });
    expect(begin(env, { pod }).statusPatch?.status.conditions[1]?.message).toBe(
      `corresponding condition of pod readiness gate "KruisePodReady" does not exist., ${NOT_READY}, the status of pod readiness gate "Mine" is not "True", but Unknown`,
    );
  });

  test("records an empty image ID as an empty entry, and a container without a status not at all", () => {
    const pending = makePod({ statuses: [makeStatus({ name: "app", imageID: "" })] });
    expect(begin(image, { pod: pending }).patch?.metadata.annotations?.[STATE]).toContain('"lastContainerStatuses":{"app":{}}');
    const fresh = makePod({ statuses: [] });
    expect(begin(image, { pod: fresh }).patch?.metadata.annotations?.[STATE]).toContain('"lastContainerStatuses":null');
  });

  test("removes legacy keys and a grace period that the change replaces", () => {
    const grace = '{"revision":"web-5f6b46497d","containerImages":{"side":"side:2"},"graceSeconds":5}';
    const pod = makePod({
      lifecycle: "Updating",
      annotations: { "inplace-update-state": "{}", "inplace-update-grace": grace, [GRACE]: grace },
    });
    const app = (version: string) => ({ name: "app", image: `lab.local/app:${version}`, env: [metadataEnv("CONFIG", "config")] });
    const side = { name: "side", image: "side:2" };
    const from = makeTemplate({ containers: [app("v1"), side] });
    const { patch } = begin(makeTemplate({ containers: [app("v2"), side] }), { pod, from });
    expect(patch?.metadata.annotations).toMatchObject({ "inplace-update-state": null, "inplace-update-grace": null, [GRACE]: null });
    expect(patch?.spec?.containers).toEqual([
      { name: "app", image: "lab.local/app:v2" },
      { name: "side", image: "side:2" },
    ]);
  });

  test("takes over containers that an unfinished update changed (BUG-1)", () => {
    const state = `{"revision":"web-5f6b46497d","updateTimestamp":"t","lastContainerStatuses":{"side":{"imageID":"old"}},"updateImages":true,"containerBatchesRecord":[{"timestamp":"t","containers":["side"]}]}`;
    const pod = makePod({ lifecycle: "Updating", conditions: readyConditions("False"), annotations: { [STATE]: state } });
    expect(JSON.parse(begin(env, { pod }).patch?.metadata.annotations?.[STATE] ?? "")).toMatchObject({
      lastContainerStatuses: { side: { imageID: "old" } },
      updateEnvFromMetadata: true,
      updateImages: true,
      containerBatchesRecord: [{ containers: ["app", "side"] }],
    });
    const inGrace = JSON.parse(begin(env, { pod, graceSeconds: 5 }).patch?.metadata.annotations?.[STATE] ?? "");
    expect(inGrace).toMatchObject({
      lastContainerStatuses: { side: { imageID: "old" } },
      containerBatchesRecord: [{ containers: ["side"] }],
    });
    const settled = makePod({ annotations: { [STATE]: state } });
    expect(JSON.parse(begin(env, { pod: settled }).statusPatch?.metadata.annotations?.[STATE] ?? "")).toMatchObject({
      lastContainerStatuses: null,
      containerBatchesRecord: [{ containers: ["app"] }],
    });
  });

  test("records the image ID anew when a container changes twice (BUG-9)", () => {
    const state = `{"revision":"web-5f6b46497d","updateTimestamp":"t","lastContainerStatuses":{"app":{"imageID":"older"}},"updateImages":true,"containerBatchesRecord":[{"timestamp":"t","containers":["app"]}]}`;
    const pod = makePod({ lifecycle: "Updating", conditions: readyConditions("False"), annotations: { [STATE]: state } });
    expect(begin(image, { pod }).patch?.metadata.annotations?.[STATE]).toContain(`"lastContainerStatuses":{"app":{"imageID":"${V1_ID}"}}`);
  });

  test("records no image ID while an earlier change of the same image may take effect yet", () => {
    const state = `{"revision":"web-5f6b46497d","updateTimestamp":"t","lastContainerStatuses":{"app":{"imageID":"${V1_ID}"}},"updateImages":true,"containerBatchesRecord":[{"timestamp":"t","containers":["app"]}]}`;
    const pod = makePod({ lifecycle: "Updating", conditions: readyConditions("False"), annotations: { [STATE]: state } });
    expect(begin(image, { pod }).patch?.metadata.annotations?.[STATE]).toContain('"lastContainerStatuses":{"app":{}}');
  });

  test("withResourceVersion() replaces only the version", () => {
    const { patch } = begin(image);
    if (patch === undefined) throw new Error("no patch");
    const moved = withResourceVersion(patch, "701");
    expect(moved).toEqual({ ...patch, metadata: { ...patch.metadata, resourceVersion: "701" } });
  });
});
