import type { CloneSet } from "../../../src/api/clone-set.js";
import { podOfSubject, writesOf } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";
import { Knowledge } from "./knowledge.js";
import { isActive } from "./pod-views.js";

/** A deletion that was decided on is on its way so long. */
const ON_THE_WAY_MS = 500;

/**
 * A pod that nobody wants to be gone stays: we delete only to replace what no update in place can change, and to scale down. How many there
 * are is what the life could know; whatever somebody else deletes meanwhile is replaced afterwards.
 */
export const podsSurvive: Invariant = {
  name: "pods-survive",
  check(entries, { flow }) {
    if (flow === "recreate") return [];
    const knowledge = new Knowledge();
    const violations: Violation[] = [];
    for (const [index, entry] of entries.entries()) {
      if (entry.type === "step" && entry.step === "delete-pod" && entry.phase === "applied") {
        const { actor, atMs, subject } = entry;
        const name = podOfSubject(subject);
        const hasWritten = writesOf(entries, index).some(({ object }) => object.metadata.name === name);
        const replicas = Math.min(...knowledge.setsOf(actor, atMs - ON_THE_WAY_MS).map(replicasOf));
        const known = knowledge.podsOf(actor, atMs - ON_THE_WAY_MS).map((pods) => pods.filter(isActive).length);
        if (hasWritten && known.length > 0 && Math.max(...known) <= replicas) {
          const message = `${actor} deletes pod "${String(name)}" although ${String(replicas)} are wanted`;
          violations.push({ invariant: "pods-survive", atMs, message });
        }
      }
      knowledge.add(entry, entries, index);
    }
    return violations;
  },
};

function replicasOf(set: CloneSet | undefined): number {
  return set === undefined ? 0 : Number(set.spec.replicas ?? 1);
}
