import type { NodePodRestart } from "../../../src/api/node-pod-restart.js";
import { nodeOf, ObjectHistory, Reads } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";

interface Run {
  readonly actor: string;
  /** Of the requests that named the container. */
  readonly requestIds: readonly string[];
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
      if (entry.type === "object" && entry.plural === "nodepodrestarts" && entry.change === "DELETED")
        forget(runs, entry.object.metadata.name);
      if (entry.type !== "step" || entry.step !== "run-pre-stop" || entry.phase !== "before") continue;
      const { actor, subject, atMs } = entry;
      // By what the agent has read: meanwhile somebody may have asked for the same once more.
      const known = objects.asOfRevision(nodeOf(actor) ?? "", reads.by(actor, atMs) ?? Number.POSITIVE_INFINITY);
      const requestIds = idsOf(known?.object as unknown as NodePodRestart | undefined, subject);
      const earlier = runs.get(subject);
      runs.set(subject, { actor, requestIds });
      if (earlier?.requestIds.some((id) => requestIds.includes(id)) !== true) continue;
      violations.push({
        invariant: "pre-stop-once",
        atMs,
        message: `${actor} runs preStop in ${subject.slice(0, 12)}, where ${earlier.actor} had`,
      });
    }
    return violations;
  },
};

function idsOf(object: NodePodRestart | undefined, containerId: string): readonly string[] {
  const requests = object?.spec.podRestarts?.flatMap((pod) => pod.requests) ?? [];
  return requests.flatMap(({ id, containerID }) => (containerID?.endsWith(`://${containerId}`) === true ? [id] : []));
}

function forget(runs: Map<string, Run>, node: string): void {
  for (const [id, { actor }] of runs) if (nodeOf(actor) === node) runs.delete(id);
}
