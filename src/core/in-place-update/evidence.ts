import type { ContainerFacts } from "../../api/node-pod-restart.js";
import type { Pod } from "../../api/pod.js";
import { annotatedFacts, completedFacts } from "./facts-annotation.js";
import { statusOf } from "./pod-facts.js";

/** The best that is known about the newest instance of a container, beyond what pod status says. */
export interface Evidence {
  /** `posted`: pod status names this instance. `newer`: the kubelet has started it and not posted it yet. */
  readonly instance: "posted" | "newer";
  /** Undefined: nobody knows. Only the agent can tell; pod status may be late by seconds, and a container may have been stopped since. */
  readonly isRunning?: boolean;
  readonly plainHash?: number;
  readonly envHash?: number;
}

/**
 * What the agent's report, or else the facts annotation, says about the container's newest instance.
 *
 * A report that is older than pod status says nothing: restart counts tell, since neither clocks nor arrival order can be trusted.
 * @returns undefined when nothing is known about the instance that pod status names or a newer one
 */
export function findEvidence(pod: Pod, container: string, facts: readonly ContainerFacts[] | undefined): Evidence | undefined {
  const status = statusOf(pod, container);
  if (status?.containerID === undefined) return undefined;
  const annotated = annotatedFacts(pod, container);
  const reported = facts?.find(({ name }) => name === container);
  if (reported !== undefined && reported.containerID === status.containerID) {
    return toEvidence("posted", completedFacts(reported, annotated), reported.state);
  }
  if (reported !== undefined && reported.restartCount > status.restartCount) return toEvidence("newer", reported, reported.state);
  return annotated === undefined ? undefined : toEvidence("posted", annotated, "Unknown");
}

function toEvidence(
  instance: Evidence["instance"],
  hashes: { readonly plainHash?: number; readonly envHash?: number },
  state: ContainerFacts["state"],
): Evidence {
  return {
    instance,
    ...(state === "Unknown" ? {} : { isRunning: state === "Running" }),
    ...(hashes.plainHash === undefined ? {} : { plainHash: hashes.plainHash }),
    ...(hashes.envHash === undefined ? {} : { envHash: hashes.envHash }),
  };
}
