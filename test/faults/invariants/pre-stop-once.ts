import type { NodePodRestart } from "../../../src/api/node-pod-restart.js";
import { nodeOf, ObjectHistory, Reads } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";

interface Run {
  readonly actor: string;
  /** The requests that named the container, each with the object that it is in. */
  readonly requests: readonly string[];
}

/** One request runs nobody's preStop handler twice, as long as the object stays in which it is written down that it ran. */
export const preStopOnce: Invariant = {
  name: "pre-stop-once",
  check(entries) {
    const objects = new ObjectHistory("nodepodrestarts");
    const reads = new Reads("nodepodrestarts");
    const runs = new Map<string, Run>();
    const violations: Violation[] = [];
    for (const entry of entries) {
      objects.add(entry);
      reads.add(entry);
      if (entry.type !== "step" || entry.step !== "run-pre-stop" || entry.phase !== "before") continue;
      const { actor, subject, atMs } = entry;
      // By what the agent has read: meanwhile somebody may have asked for the same once more, or in another object.
      const known = objects.asOfRevision(nodeOf(actor) ?? "", reads.by(actor, atMs) ?? Number.POSITIVE_INFINITY);
      const requests = requestsIn(known?.object as unknown as NodePodRestart | undefined, subject);
      const earlier = runs.get(subject);
      runs.set(subject, { actor, requests });
      if (earlier?.requests.some((request) => requests.includes(request)) !== true) continue;
      violations.push({
        invariant: "pre-stop-once",
        atMs,
        message: `${actor} runs preStop in ${subject.slice(0, 12)}, where ${earlier.actor} had`,
      });
    }
    return violations;
  },
};

function requestsIn(object: NodePodRestart | undefined, containerId: string): readonly string[] {
  const requests = object?.spec.podRestarts?.flatMap((pod) => pod.requests) ?? [];
  const named = requests.filter(({ containerID }) => containerID?.endsWith(`://${containerId}`) === true);
  return named.map(({ id }) => `${object?.metadata.uid ?? ""}/${id}`);
}
