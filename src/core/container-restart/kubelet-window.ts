import { IN_PLACE_UPDATE_READY, IN_PLACE_UPDATE_STATE } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { conditionOf } from "../in-place-update/pod-facts.js";

/**
 * How long after it last dealt with a pod the kubelet may still hold an older version of it.
 *
 * The kubelet works on one version of a pod at a time, and before it acts it waits for its next look at the runtime, once a second. If a
 * container dies in that time, it is started again from that older version, with the old environment. One look, and room for what a
 * change sets off in the kubelet without being seen from outside. Source: measured on Kubernetes 1.35 (test/e2e/env-update.test.ts)
 */
export const KUBELET_WINDOW_MS = 2_000;

/** What is remembered of one pod; losing it costs at most one wait. */
export interface PodActivity {
  /** When the kubelet last had a reason to deal with the pod. */
  readonly activeAtMs: number;
  /** From when on a container of the update in progress may be stopped. */
  readonly stopNotBeforeMs: number;
}

/** Takes in one change of a pod, as it is seen. `before` is absent for a pod seen for the first time. */
export function nextActivity(
  previous: PodActivity | undefined,
  change: { readonly before?: Pod; readonly after: Pod },
  nowMs: number,
): PodActivity {
  const { before, after } = change;
  const { activeAtMs = nowMs, stopNotBeforeMs = nowMs + KUBELET_WINDOW_MS } = previous ?? {};
  const isNewUpdate = before !== undefined && stateOf(before) !== stateOf(after);
  return {
    activeAtMs: before === undefined || concernsKubelet(before, after) ? nowMs : activeAtMs,
    stopNotBeforeMs: isNewUpdate ? activeAtMs + KUBELET_WINDOW_MS : stopNotBeforeMs,
  };
}

/** False only for a flip to not ready that comes before an update: it gives the kubelet nothing to do. */
function concernsKubelet(before: Pod, after: Pod): boolean {
  const isBeginning = readyGate(before) !== "False" && readyGate(after) === "False" && stateOf(before) === stateOf(after);
  return !isBeginning;
}

function stateOf({ metadata }: Pod): string | undefined {
  return metadata.annotations?.[IN_PLACE_UPDATE_STATE];
}

function readyGate(pod: Pod): string | undefined {
  return conditionOf(pod, IN_PLACE_UPDATE_READY)?.status;
}
