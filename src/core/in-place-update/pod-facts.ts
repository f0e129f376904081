import type { Condition } from "../../api/meta.js";
import { CONTROLLER_REVISION_HASH, IN_PLACE_UPDATE_READY, LIFECYCLE_STATE } from "../../api/names.js";
import type { Container, ContainerStatus, Pod } from "../../api/pod.js";

/** The pod's condition of that type. */
export function conditionOf(pod: Pod, type: string): Condition | undefined {
  return pod.status?.conditions?.find((candidate) => candidate.type === type);
}

/** The status entry of one app container. */
export function statusOf(pod: Pod, container: string): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((candidate) => candidate.name === container);
}

/** The spec of one app container. */
export function containerOf(pod: Pod, name: string): Container | undefined {
  return pod.spec.containers.find((candidate) => candidate.name === name);
}

/** Whether the pod's readiness depends on the condition `InPlaceUpdateReady`. */
export function hasReadinessGate(pod: Pod): boolean {
  return (pod.spec.readinessGates ?? []).some((gate) => gate.conditionType === IN_PLACE_UPDATE_READY);
}

/** The lifecycle state that the pod's label names; empty where there is none. */
export function lifecycleOf(pod: Pod): string {
  return pod.metadata.labels?.[LIFECYCLE_STATE] ?? "";
}

/** The revision that the pod's label names. */
export function revisionOf(pod: Pod): string | undefined {
  return pod.metadata.labels?.[CONTROLLER_REVISION_HASH];
}

/** False for pods that are being deleted or have ended; nothing is ever done to those. */
export function isActive(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return (pod.metadata.deletionTimestamp ?? undefined) === undefined && phase !== "Succeeded" && phase !== "Failed";
}
