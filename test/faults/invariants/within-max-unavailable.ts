import type { CloneSet } from "../../../src/api/clone-set.js";
import type { StoredObject } from "../../../src/sim/api-server/json.js";
import { podOfSubject, type StepEntry } from "./history.js";
import type { Entry } from "../journal.js";
import type { Invariant, Violation } from "./invariant.js";
import { Knowledge } from "./knowledge.js";
import { isAvailable } from "./pod-views.js";

/** One look at the set covers the writes of so long, one look at its pods those of so long. */
const SET_MS = 5_000;
const PODS_MS = 100;
/** One request, with all its tries, takes no longer. */
const REQUEST_MS = 30_000;

/** No life of a controller disturbs an available pod when, as far as it knows, too few would be left. */
export const withinMaxUnavailable: Invariant = {
  name: "within-max-unavailable",
  check(entries) {
    const knowledge = new Knowledge();
    const tries = new Tries();
    const violations: Violation[] = [];
    for (const [index, entry] of entries.entries()) {
      if (isDisruption(entry) && !tries.isAnother(entry)) {
        const problem = problemOf(entry, knowledge);
        if (problem !== undefined) violations.push({ invariant: "within-max-unavailable", atMs: entry.atMs, message: problem });
      }
      knowledge.add(entry, entries, index);
      tries.add(entry);
    }
    return violations;
  },
};

function isDisruption(entry: Entry): entry is StepEntry {
  return entry.type === "step" && entry.phase === "before" && (entry.step === "close-gate" || entry.step === "delete-pod");
}

function problemOf({ actor, step, subject, atMs }: StepEntry, knowledge: Knowledge): string | undefined {
  const name = podOfSubject(subject) ?? "";
  // The most generous of what it knew in the last moments counts.
  const wanted = Math.min(...knowledge.setsOf(actor, atMs - SET_MS).map(needs));
  // Right in one of the states that it may have been decided on is right.
  const left = knowledge.podsOf(actor, atMs - PODS_MS).map((pods) => availableWithout(pods, name));
  if (left.length === 0 || Math.max(...left) >= wanted) return undefined;
  return `${actor} ${step} of "${name}" leaves ${String(Math.max(...left))} available, not ${String(wanted)}`;
}

/** How many pods are left when one is disturbed; as many as anybody wants if that one is unavailable anyway. */
function availableWithout(pods: readonly StoredObject[], name: string): number {
  const target = pods.find(({ metadata }) => metadata.name === name);
  if (target === undefined || !isAvailable(target)) return Number.POSITIVE_INFINITY;
  return pods.filter(isAvailable).length - 1;
}

/** A request that was turned away is sent again as it is: what it rests on was decided before its first try. */
class Tries {
  readonly #open = new Map<string, number>();

  isAnother({ actor, subject, atMs }: StepEntry): boolean {
    return atMs - (this.#open.get(`${actor} ${subject}`) ?? Number.NEGATIVE_INFINITY) < REQUEST_MS;
  }

  add(entry: Entry): void {
    if (entry.type !== "step" || podOfSubject(entry.subject) === undefined) return;
    const key = `${entry.actor} ${entry.subject}`;
    if (entry.phase === "before" && !this.#open.has(key)) this.#open.set(key, entry.atMs);
    if (entry.phase === "received" && entry.outcome !== "429" && !entry.outcome?.startsWith("5")) this.#open.delete(key);
  }
}

function needs(set: CloneSet | undefined): number {
  if (set === undefined) return 0;
  const { replicas = 1, updateStrategy } = set.spec;
  return Number(replicas) - Number(updateStrategy?.maxUnavailable ?? 1);
}
