import {
  IN_PLACE_UPDATE_GRACE,
  IN_PLACE_UPDATE_GRACE_LEGACY,
  IN_PLACE_UPDATE_STATE,
  IN_PLACE_UPDATE_STATE_LEGACY,
} from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { own } from "../values/json-object.js";
import { type GraceSpec, writeGrace } from "./grace.js";
import { type UpdateState, writeUpdateState } from "./state.js";
import type { MapPatch } from "./types.js";

/** The annotations that hold this state; the legacy key goes. */
export function stateAnnotations(pod: Pod, state: UpdateState): MapPatch {
  return { [IN_PLACE_UPDATE_STATE]: writeUpdateState(state), ...removals(pod, [IN_PLACE_UPDATE_STATE_LEGACY]) };
}

/** The annotations that make the change wait; the legacy key goes. */
export function graceAnnotations(pod: Pod, spec: GraceSpec): MapPatch {
  return { [IN_PLACE_UPDATE_GRACE]: writeGrace(spec), ...removals(pod, [IN_PLACE_UPDATE_GRACE_LEGACY]) };
}

/** The annotations that end a grace period. */
export function graceRemoval(pod: Pod): MapPatch {
  return removals(pod, [IN_PLACE_UPDATE_GRACE, IN_PLACE_UPDATE_GRACE_LEGACY]);
}

function removals(pod: Pod, keys: readonly string[]): MapPatch {
  const present = keys.filter((key) => own(pod.metadata.annotations, key) !== undefined);
  return Object.fromEntries(present.map((key) => [key, null]));
}
