import type { Condition, StringMap } from "../../../../src/api/meta.js";
import type { Container, ContainerStatus, Pod, PodTemplate } from "../../../../src/api/pod.js";

export const OLD_REVISION = "web-5f6b46497d";
export const NEW_REVISION = "web-9b99b747b";
export const NOW_MS = Date.parse("2026-11-29T17:16:53Z");
export const V1_ID = "lab.local/app@sha256:51e3a5d0b5fc6a3a0b7872a3156b92218b4548b78717f7c822722aaf57a19c08";
export const V2_ID = "lab.local/app@sha256:73a40216d9c790c394649e8982294c5f559429963fb0d8e659a572aafcd54347";
export const APP_ID = "containerd://754a8a11a687795b957b3dadf06d9b6e56328e79da9981e0f415887dec98abfe";
export const SIDE_ID = "containerd://4084390873dfec266fa3552e39f09706343e0ae23c94ebff29d81a3611cbbebe";
export const NEW_APP_ID = "containerd://ce67fe35ab9039b5f32e5dc6be7fbdb820badb31b9cdd9144f1b0e75b8c71e98";

/** An env entry that reads an annotation (or a label) of the pod. */
export function metadataEnv(name: string, key: string, source: "annotations" | "labels" = "annotations") {
  return { name, valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: `metadata.${source}['${key}']` } } };
}

/** Two containers; `app` reads annotation `config`. The recorded template of scenario env-update. */
export function makeTemplate(
  options: { annotations?: StringMap; labels?: StringMap; containers?: readonly Container[] } = {},
): PodTemplate {
  return {
    metadata: { annotations: options.annotations ?? { config: "one" }, labels: options.labels ?? { app: "web" } },
    spec: {
      containers: options.containers ?? [
        { name: "app", image: "lab.local/app:v1", env: [metadataEnv("CONFIG", "config")] },
        { name: "side", image: "lab.local/app:v1" },
      ],
    },
  };
}

export interface PodOptions {
  readonly template?: PodTemplate;
  readonly revision?: string;
  readonly lifecycle?: string;
  readonly annotations?: StringMap;
  readonly gates?: readonly string[];
  readonly conditions?: readonly Condition[];
  readonly statuses?: readonly ContainerStatus[];
  readonly phase?: string;
  readonly deletionTimestamp?: string;
}

/** A ready, settled pod of the template. */
export function makePod(options: PodOptions = {}): Pod {
  const template = options.template ?? makeTemplate();
  const revision = options.revision ?? OLD_REVISION;
  const gates = options.gates ?? ["InPlaceUpdateReady"];
  return {
    metadata: {
      name: "web-7k2z4",
      namespace: "shop",
      uid: "8289388b",
      resourceVersion: "700",
      labels: {
        ...template.metadata?.labels,
        "controller-revision-hash": revision,
        "pod-template-hash": revision.slice(revision.lastIndexOf("-") + 1),
        "lifecycle.apps.kruise.io/state": options.lifecycle ?? "Normal",
      },
      annotations: { ...template.metadata?.annotations, ...options.annotations },
      ...(options.deletionTimestamp === undefined ? {} : { deletionTimestamp: options.deletionTimestamp }),
    },
    spec: { ...template.spec, nodeName: "node1", readinessGates: gates.map((conditionType) => ({ conditionType })) },
    status: {
      phase: options.phase ?? "Running",
      conditions: options.conditions ?? readyConditions(),
      containerStatuses: options.statuses ?? [
        makeStatus({ name: "app", containerID: APP_ID }),
        makeStatus({ name: "side", containerID: SIDE_ID }),
      ],
    },
  };
}

export function makeStatus(status: Partial<ContainerStatus> & { readonly name: string }): ContainerStatus {
  const running = { running: { startedAt: "2026-11-29T17:16:48Z" } };
  return { ready: true, restartCount: 0, image: "lab.local/app:v1", imageID: V1_ID, state: running, ...status };
}

export function readyConditions(inPlace: "True" | "False" = "True"): readonly Condition[] {
  const lastTransitionTime = "2026-11-29T17:16:49Z";
  return [
    { type: "InPlaceUpdateReady", status: inPlace, lastTransitionTime, ...(inPlace === "False" ? { reason: "StartInPlaceUpdate" } : {}) },
    { type: "Ready", status: inPlace, lastTransitionTime },
    { type: "ContainersReady", status: "True", lastTransitionTime },
    { type: "PodScheduled", status: "True", lastTransitionTime },
  ];
}
