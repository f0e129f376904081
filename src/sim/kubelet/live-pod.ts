import type { Resource } from "../../api/meta.js";
import type { Pod } from "../../api/pod.js";
import { PODS } from "../../api/resources.js";
import { ApiError } from "../api-server/api-error.js";
import type { ApiState, ObjectAddress } from "../api-server/api-state.js";
import type { StoredObject } from "../api-server/json.js";

/** An object as it is now; undefined: there is none. */
export function liveObject(state: ApiState, resource: Resource, address: ObjectAddress): StoredObject | undefined {
  try {
    return state.get(resource, address);
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}

/** The pod as it is now, if it is still the same one. */
export function livePod(state: ApiState, pod: Pod): Pod | undefined {
  const found = liveObject(state, PODS, addressOf(pod));
  return found?.metadata.uid === pod.metadata.uid ? (found as unknown as Pod) : undefined;
}

/** Where a pod is in the API. */
export function addressOf({ metadata }: Pod): ObjectAddress {
  return { namespace: metadata.namespace, name: metadata.name };
}
