import type { StoredObject } from "../../../src/sim/api-server/json.js";
import type { Pod } from "../../../src/api/pod.js";
import { IN_PLACE_UPDATE_READY } from "../../../src/api/names.js";
import { ANNOTATION } from "../flows/workload.js";

/** A stored object of kind Pod. */
export function asPod(object: StoredObject): Pod {
  return object as unknown as Pod;
}

/** What its annotation says that the app should run with. */
export function wantedConfig(object: StoredObject): string | undefined {
  return asPod(object).metadata.annotations?.[ANNOTATION];
}

export function conditionStatus(object: StoredObject, type: string): string | undefined {
  return asPod(object).status?.conditions?.find((condition) => condition.type === type)?.status;
}

/** Counts for its set: ready, its gate open, and not on its way out. */
export function isAvailable(object: StoredObject): boolean {
  const gate = conditionStatus(object, IN_PLACE_UPDATE_READY);
  const isReady = conditionStatus(object, "Ready") === "True" && (gate === undefined || gate === "True");
  return isReady && asPod(object).status?.phase === "Running" && object.metadata.deletionTimestamp === undefined;
}

/** It belongs to a set and is not on its way out. */
export function isActive(object: StoredObject): boolean {
  const phase = asPod(object).status?.phase;
  const isOwned = (object.metadata.ownerReferences ?? []).length > 0;
  return isOwned && object.metadata.deletionTimestamp === undefined && phase !== "Succeeded" && phase !== "Failed";
}
