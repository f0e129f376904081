import type { ContainerFacts, NodePodRestart, RestartResult } from "../../../../src/api/node-pod-restart.js";
import type { ContainerStatus, Pod } from "../../../../src/api/pod.js";
import type { NodeSituation, PodWish } from "../../../../src/core/container-restart/requests.js";
import type { PendingContainer } from "../../../../src/core/in-place-update/types.js";
import { makeNodeObject } from "./builders.js";

export function makePod(
  overrides: { readonly uid?: string; readonly nodeName?: string; readonly statuses?: readonly ContainerStatus[] } = {},
): Pod {
  const { uid = "uid-1", nodeName = "node-a", statuses = [makeStatus()] } = overrides;
  return {
    metadata: { name: `pod-${uid}`, namespace: "shop", uid },
    spec: { nodeName, containers: [{ name: "app" }] },
    status: { phase: "Running", containerStatuses: statuses },
  };
}

export function makeStatus(overrides: Partial<ContainerStatus> = {}): ContainerStatus {
  return { name: "app", ready: true, restartCount: 0, image: "i", imageID: "i@1", containerID: "containerd://c0", ...overrides };
}

export function makePending(overrides: Partial<PendingContainer> = {}): PendingContainer {
  return { container: "app", reason: "env", envNames: ["CONFIG"], expectedEnvHash: 5, expectedPlainHash: 70, ...overrides };
}

export function makeWish(overrides: Partial<PodWish> = {}): PodWish {
  return { pod: makePod(), revision: "web-abc", pending: [makePending()], ...overrides };
}

export function makeFacts(overrides: Partial<ContainerFacts> = {}): ContainerFacts {
  return { name: "app", containerID: "containerd://c0", restartCount: 0, state: "Running", plainHash: 70, envHash: 4, ...overrides };
}

export function makeSituation(overrides: Partial<NodeSituation> = {}): NodeSituation {
  const wishes = overrides.wishes ?? [makeWish()];
  return {
    wishes,
    pods: new Map(wishes.map(({ pod }) => [pod.metadata.uid ?? "", pod])),
    previous: makeNodeObject(),
    nowMs: 0,
    sightings: new Map(),
    ...overrides,
  };
}

/** What the agent reports about the first pod of `object`. */
export function withReport(
  object: NodePodRestart,
  report: { readonly results?: readonly RestartResult[]; readonly containers?: readonly ContainerFacts[]; readonly uid?: string },
): NodePodRestart {
  const uid = report.uid ?? object.spec.podRestarts?.[0]?.uid ?? "";
  const { generation } = object.metadata;
  const entry = { uid, results: report.results ?? [], containers: report.containers ?? [] };
  return { ...object, status: { ...(generation === undefined ? {} : { observedGeneration: generation }), podRestartStatuses: [entry] } };
}

/** The object after the controller's write. */
export function written(object: NodePodRestart, podRestarts: NodePodRestart["spec"]["podRestarts"]): NodePodRestart {
  const generation = (object.metadata.generation ?? 0) + 1;
  return { ...object, metadata: { ...object.metadata, generation }, spec: { podRestarts: podRestarts ?? [] } };
}
