import type { NodePodRestart, PodRestart, PodRestartStatus } from "../../api/node-pod-restart.js";
import { remember } from "../values/remember.js";

/** What the spec of a node's object asks about each pod, by the pod's uid: a node has up to hundreds, and every look asks about all. */
export const askedByUid = remember(({ spec }: NodePodRestart) => byUid<PodRestart>(spec.podRestarts ?? []));

/** What the agent tells about each pod in the status of its node's object, by the pod's uid; asked or not. */
export const toldByUid = remember(({ status }: NodePodRestart) => byUid<PodRestartStatus>(status?.podRestartStatuses ?? []));

/** Of two entries with one uid, which the schema refuses, the first counts. */
function byUid<T extends { readonly uid: string }>(entries: readonly T[]): ReadonlyMap<string, T> {
  return new Map([...entries].reverse().map((entry) => [entry.uid, entry]));
}
