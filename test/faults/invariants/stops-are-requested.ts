import type { NodePodRestart } from "../../../src/api/node-pod-restart.js";
import { Instances, podUidOf } from "./containers.js";
import { nodeOf, ObjectHistory, Reads } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";

/** What was withdrawn may still be carried out for so long by an agent that has not been told yet. */
const IN_HAND_MS = 1_000;

/** An agent stops nothing but what a request that it could know named. */
export const stopsAreRequested: Invariant = {
  name: "stops-are-requested",
  check(entries) {
    const objects = new ObjectHistory("nodepodrestarts");
    const reads = new Reads("nodepodrestarts");
    const instances = new Instances();
    const violations: Violation[] = [];
    for (const entry of entries) {
      objects.add(entry);
      reads.add(entry);
      instances.add(entry);
      if (entry.type !== "step" || entry.step !== "stop-container" || entry.phase !== "before") continue;
      const { actor, subject, atMs } = entry;
      const node = nodeOf(actor) ?? "";
      const versions = objects.sinceRevision(node, reads.by(actor, atMs - IN_HAND_MS) ?? Number.POSITIVE_INFINITY);
      const instance = instances.get(subject)?.container;
      const podUid = instance === undefined ? "" : podUidOf(instance);
      if (versions.some(({ object }) => object !== undefined && asks(object as unknown as NodePodRestart, podUid, subject))) continue;
      violations.push({
        invariant: "stops-are-requested",
        atMs,
        message: `${actor} stops ${subject.slice(0, 12)}, which no request names`,
      });
    }
    return violations;
  },
};

function asks({ spec }: NodePodRestart, podUid: string, id: string): boolean {
  const requests = spec.podRestarts?.filter(({ uid }) => uid === podUid).flatMap((pod) => pod.requests) ?? [];
  return requests.some(({ observe, containerID }) => observe !== true && containerID?.endsWith(`://${id}`) === true);
}
