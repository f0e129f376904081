import { ObjectHistory, podOfSubject, Reads, uidOf, writesOf } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";
import { isActive } from "./pod-views.js";

/** A deletion that was decided on is on its way so long. */
const ON_THE_WAY_MS = 500;

/** A pod that nobody wants to be gone stays: we delete only to replace what no update in place can change, and to scale down. */
export const podsSurvive: Invariant = {
  name: "pods-survive",
  check(entries, { flow }) {
    if (flow === "recreate") return [];
    const pods = new ObjectHistory("pods", uidOf);
    const sets = new ObjectHistory("clonesets");
    const reads = new Reads("clonesets");
    const violations: Violation[] = [];
    for (const [index, entry] of entries.entries()) {
      if (entry.type === "step" && entry.step === "delete-pod" && entry.phase === "applied") {
        const hasWritten = writesOf(entries, index).some(({ object }) => object.metadata.name === podOfSubject(entry.subject));
        const replicas = leastReplicas(sets, reads.by(entry.actor, entry.atMs - ON_THE_WAY_MS));
        // The deleted one is active no more.
        if (hasWritten && countActive(pods) + 1 <= replicas) {
          const message = `${entry.actor} deletes pod "${String(podOfSubject(entry.subject))}" although ${String(replicas)} are wanted`;
          violations.push({ invariant: "pods-survive", atMs: entry.atMs, message });
        }
      }
      pods.add(entry);
      sets.add(entry);
      reads.add(entry);
    }
    return violations;
  },
};

/** Of all that the set has asked for since a revision. */
function leastReplicas(sets: ObjectHistory, revision: number | undefined): number {
  const versions = [...sets.keys()].flatMap((name) => sets.sinceRevision(name, revision ?? 0));
  const replicas = versions.map(({ object }) => (object as { spec?: { replicas?: number } } | undefined)?.spec?.replicas ?? 0);
  return Math.min(...replicas);
}

function countActive(pods: ObjectHistory): number {
  return [...pods.keys()].filter((uid) => {
    const object = pods.versions(uid).at(-1)?.object;
    return object !== undefined && isActive(object);
  }).length;
}
