import { IN_PLACE_UPDATE_READY, SPECIFIED_DELETE } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { conditionOf, lifecycleOf, revisionOf } from "../in-place-update/pod-facts.js";
import { meansRevision } from "../revision/revision-name.js";
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
  /** Its deletion was asked for, and no answer came. */
  readonly mayBeGone?: true;
  /** When it became Ready. Units: milliseconds since the epoch; absent while it is not. */
  readonly readySinceMs?: number;
}

/** What the facts about a pod are measured against. */
export interface PodMeasure {
  readonly updateRevision: string;
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

/** Gathers the facts about one active pod. */
export function observePod(pod: Pod, measure: PodMeasure): ObservedPod {
  const isReady = isReadyPod(pod);
  const readySinceMs = isReady ? parseTimestampMs(conditionOf(pod, "Ready")?.lastTransitionTime ?? "") : undefined;
  // A kubelet whose clock is ahead says that it will be ready: without minReadySeconds its time must not matter.
  const readyForMs = Math.max(0, measure.nowMs - (readySinceMs ?? 0));
  const isReadyLongEnough = isReady && readyForMs >= measure.minReadySeconds * 1000;
  return {
    pod,
    isUpdated: meansRevision(revisionOf(pod), measure.updateRevision),
    isToDelete: isToDelete(pod),
    isReady,
    isAvailable: isReadyLongEnough && isSettled(pod),
    ...(readySinceMs === undefined ? {} : { readySinceMs }),
  };
}

function isReadyPod(pod: Pod): boolean {
  const gate = conditionOf(pod, IN_PLACE_UPDATE_READY);
  return pod.status?.phase === "Running" && conditionOf(pod, "Ready")?.status === "True" && (gate === undefined || gate.status === "True");
}

function isSettled(pod: Pod): boolean {
  const state = lifecycleOf(pod);
  return state === "" || state === "Normal";
}

function isToDelete(pod: Pod): boolean {
  return pod.metadata.labels?.[SPECIFIED_DELETE] !== undefined || lifecycleOf(pod) === "PreparingDelete";
}
