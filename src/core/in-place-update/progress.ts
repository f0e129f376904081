import { IN_PLACE_UPDATE_READY } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import type { Decoded } from "./decode.js";
import { isInGrace } from "./grace.js";
import { conditionOf, hasReadinessGate, isActive, lifecycleOf } from "./pod-facts.js";
import { hasNextBatch, readUpdateState, type UpdateState } from "./state.js";

/**
 * Whether containers of the pod are being changed right now: an update has begun, its grace period is over, and it has not
 * been declared complete.
 */
export function isMidUpdate(pod: Pod): boolean {
  return isActive(pod) && !isInGrace(pod) && isUnfinished(pod, readUpdateState(pod));
}

/**
 * Whether an update that began has not been declared complete, grace period included.
 *
 * For a pod with the readiness gate the condition says so: it turns True together with the end of the update. A pod whose
 * lifecycle label says anything but `Updating` never got past the condition, so nothing of it has begun.
 */
export function isUnfinished(pod: Pod, state: Decoded<UpdateState>): boolean {
  if (state.type === "absent") return false;
  if (state.type === "value" && hasNextBatch(state.value)) return true;
  const lifecycle = lifecycleOf(pod);
  if (!hasReadinessGate(pod)) return lifecycle === "Updating";
  return (lifecycle === "" || lifecycle === "Updating") && conditionOf(pod, IN_PLACE_UPDATE_READY)?.status !== "True";
}
