import type { Pod } from "../../api/pod.js";
import { pendingContainers } from "../in-place-update/pending-containers.js";
import { readUpdateState } from "../in-place-update/state.js";
import type { PodWish } from "./requests.js";

/** What the update of one pod asks of its node's agent; undefined for a pod that is not in mid-update, or on its way out. */
export function wishOfPod(pod: Pod): PodWish | undefined {
  const state = readUpdateState(pod);
  if (state.type !== "value") return undefined;
  const pending = pendingContainers(pod);
  return pending.length === 0 ? undefined : { pod, revision: state.value.revision, pending };
}
