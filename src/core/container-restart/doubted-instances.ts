import type { NodePodRestart, PodRestart, PodRestartStatus, RestartPhase } from "../../api/node-pod-restart.js";
import { askedByUid, toldByUid } from "./node-entries.js";

const DECIDED: readonly RestartPhase[] = ["Stopped", "Skipped", "Failed"];

/**
 * Instances of a pod that may have been stopped since the agent reported on them: those that an undecided request names and, as long as
 * the agent has not seen the present spec, those that a request which was withdrawn may have named. What follows a stopped instance
 * cannot be told from it, for the kubelet may start that from an older version of the pod.
 *
 * Shape: container IDs, as `containerd://…`.
 */
export function doubtedInstances(object: NodePodRestart | undefined, podUid: string): ReadonlySet<string> {
  if (object === undefined) return new Set();
  const asked = askedByUid(object).get(podUid);
  const report = toldByUid(object).get(podUid);
  return new Set([...undecided(asked, report), ...(isBehind(object) ? unproven(asked, report) : [])]);
}

/** True as long as the agent may be at work on a request that stands in the spec no more. */
function isBehind(object: NodePodRestart | undefined): boolean {
  return object !== undefined && object.status?.observedGeneration !== object.metadata.generation;
}

function undecided(asked: PodRestart | undefined, report: PodRestartStatus | undefined): readonly string[] {
  const decided = new Set((report?.results ?? []).filter(({ phase }) => DECIDED.includes(phase)).map(({ id }) => id));
  return stopsOf(asked).flatMap(({ id, containerID = "" }) => (decided.has(id) ? [] : [containerID]));
}

/** An instance that came after one that we had stopped is younger than any request that could have been withdrawn. */
function unproven(asked: PodRestart | undefined, report: PodRestartStatus | undefined): readonly string[] {
  return (report?.containers ?? [])
    .filter(({ name, containerID }) => !stopsOf(asked).some((stop) => stop.container === name && stop.containerID !== containerID))
    .map(({ containerID }) => containerID);
}

function stopsOf(asked: PodRestart | undefined): PodRestart["requests"] {
  return (asked?.requests ?? []).filter(({ observe }) => observe !== true);
}
