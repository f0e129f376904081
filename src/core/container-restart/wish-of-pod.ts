import { IN_PLACE_UPDATE_READY, IN_PLACE_UPDATE_STATE, IN_PLACE_UPDATE_STATE_LEGACY } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { pendingContainers } from "../in-place-update/batch.js";
import { readUpdateState } from "../in-place-update/state.js";
import type { PodWish } from "./requests.js";

/** What the update of one pod asks of its node's agent; undefined for a pod that is not in mid-update, or on its way out. */
export function wishOfPod(pod: Pod): PodWish | undefined {
  if (!mayBeInUpdate(pod)) return undefined;
  const state = readUpdateState(pod);
  if (state.type !== "value") return undefined;
  const pending = pendingContainers(pod);
  return pending.length === 0 ? undefined : { pod, revision: state.value.revision, pending };
}

// Asked for every event of every pod: settled pods must cost next to nothing.
function mayBeInUpdate({ metadata, status }: Pod): boolean {
  const { annotations = {} } = metadata;
  const hasState = annotations[IN_PLACE_UPDATE_STATE] !== undefined || annotations[IN_PLACE_UPDATE_STATE_LEGACY] !== undefined;
  const ready = status?.conditions?.find(({ type }) => type === IN_PLACE_UPDATE_READY);
  return hasState && ready?.status !== "True" && !isEnding(metadata.deletionTimestamp, status?.phase);
}

function isEnding(deletionTimestamp: string | undefined, phase: string | undefined): boolean {
  return deletionTimestamp !== undefined || phase === "Succeeded" || phase === "Failed";
}
