import { CONTROLLER_REVISION_HASH, IN_PLACE_UPDATE_READY, LIFECYCLE_STATE, SPECIFIED_DELETE } from "../../api/names.js";
import type { Condition } from "../../api/meta.js";
import type { Pod } from "../../api/pod.js";
import { parseTimestampMs } from "../values/timestamps.js";

/** One owned active pod with everything that the rules of a CloneSet ask about it. */
export interface ObservedPod {
  readonly pod: Pod;
  /** At the revision that the template asks for. */
  readonly isUpdated: boolean;
  /** Somebody, perhaps we, asked for this pod to be replaced. */
  readonly isToDelete: boolean;
  readonly isReady: boolean;
  /** Ready for `minReadySeconds` and in no phase of an update. */
  readonly isAvailable: boolean;
  /** When it became Ready. Units: milliseconds since the epoch; absent while it is not. */
  readonly readySinceMs?: number;
}

/** What the facts about a pod are measured against. */
export interface PodMeasure {
  readonly updateRevision: string;
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

/** True unless the pod has finished or is being deleted; other pods count nowhere. */
export function isActivePod(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase !== "Succeeded" && phase !== "Failed" && pod.metadata.deletionTimestamp === undefined;
}

/** Gathers the facts about one active pod. */
export function observePod(pod: Pod, measure: PodMeasure): ObservedPod {
  const isReady = isReadyPod(pod);
  const readySinceMs = isReady ? parseTimestampMs(condition(pod, "Ready")?.lastTransitionTime ?? "") : undefined;
  const isReadyLongEnough = isReady && measure.nowMs - (readySinceMs ?? 0) >= measure.minReadySeconds * 1000;
  return {
    pod,
    isUpdated: revisionOfPod(pod) === measure.updateRevision,
    isToDelete: isToDelete(pod),
    isReady,
    isAvailable: isReadyLongEnough && isSettled(pod),
    ...(readySinceMs === undefined ? {} : { readySinceMs }),
  };
}

/** The pod's condition of that type. */
export function condition(pod: Pod, type: string): Condition | undefined {
  return pod.status?.conditions?.find((candidate) => candidate.type === type);
}

/** The revision that the pod's label names. */
export function revisionOfPod(pod: Pod): string | undefined {
  return pod.metadata.labels?.[CONTROLLER_REVISION_HASH];
}

/** The lifecycle state that the pod's label names; empty where there is none. */
export function lifecycleState(pod: Pod): string {
  return pod.metadata.labels?.[LIFECYCLE_STATE] ?? "";
}

function isReadyPod(pod: Pod): boolean {
  const gate = condition(pod, IN_PLACE_UPDATE_READY);
  return pod.status?.phase === "Running" && condition(pod, "Ready")?.status === "True" && (gate === undefined || gate.status === "True");
}

function isSettled(pod: Pod): boolean {
  const state = lifecycleState(pod);
  return state === "" || state === "Normal";
}

function isToDelete(pod: Pod): boolean {
  return pod.metadata.labels?.[SPECIFIED_DELETE] !== undefined || lifecycleState(pod) === "PreparingDelete";
}
