import type { NodePodRestart, PodRestartStatus } from "../../api/node-pod-restart.js";
import type { Pod } from "../../api/pod.js";
import { askedByUid, toldByUid } from "./node-entries.js";

/**
 * The agent's report about a pod, as far as its node goes: only if the pod runs on the node that the object is named after, and the
 * spec asks about just this pod. What a stolen token of one node writes can never speak for a pod of another.
 */
export function trustedReport(object: NodePodRestart | undefined, pod: Pod): PodRestartStatus | undefined {
  const { uid } = pod.metadata;
  if (object === undefined || uid === undefined || pod.spec.nodeName !== object.metadata.name) return undefined;
  return askedByUid(object).has(uid) ? toldByUid(object).get(uid) : undefined;
}

/**
 * Pods that a report names although the spec, in the generation that the agent says it has seen, does not: no honest agent does that.
 *
 * Shape: UIDs.
 */
export function refusedReports(object: NodePodRestart): readonly string[] {
  const { status, spec, metadata } = object;
  if (status?.observedGeneration !== metadata.generation) return [];
  const named = new Set(spec.podRestarts?.map(({ uid }) => uid));
  return (status?.podRestartStatuses ?? []).flatMap(({ uid }) => (named.has(uid) ? [] : [uid]));
}
