import { Instances } from "./containers.js";
import type { StepEntry } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";

/** A list may show what was a second ago, by the clock of its node, which may be slow. */
const LIST_LAG_MS = 1_025;

/**
 * A container that was stopped is not stopped again, unless the list that this is decided on may still show it running. Two lives side by side
 * know nothing of each other's calls: each may have decided before the other one's was done, and stopping what has ended does nothing.
 */
export const stopsOnce: Invariant = {
  name: "stops-once",
  check(entries) {
    const instances = new Instances();
    const lists = new Lists();
    const stoppedBy = new Map<string, StepEntry>();
    const bornAtMs = new Map<string, number>();
    const drained = new Drained();
    const violations: Violation[] = [];
    for (const entry of entries) {
      instances.add(entry);
      if (entry.type === "life" && entry.change === "starts") bornAtMs.set(entry.actor, entry.atMs);
      if (entry.type !== "step") continue;
      lists.add(entry);
      drained.add(entry);
      if (entry.step !== "stop-container" || entry.phase !== "before") continue;
      const { actor, subject, atMs } = entry;
      const earlier = stoppedBy.get(subject);
      stoppedBy.set(subject, entry);
      const endedAtMs = instances.get(subject)?.endedAtMs ?? Number.POSITIVE_INFINITY;
      const mayShowItRunning = endedAtMs >= (lists.lastAnsweredMs(actor) ?? 0) - LIST_LAG_MS;
      const isFirst = drained.take(entry);
      if (earlier === undefined || isFirst || mayShowItRunning || isBeside(earlier, actor, bornAtMs)) continue;
      violations.push({ invariant: "stops-once", atMs, message: `${actor} stops ${subject.slice(0, 12)} again, after ${earlier.actor}` });
    }
    return violations;
  },
};

/** Containers in which preStop ran: the stop that follows is the first one of its request, and was decided on before preStop began. */
class Drained {
  readonly #containers = new Set<string>();

  add({ step, phase, actor, subject }: StepEntry): void {
    if (step === "run-pre-stop" && phase === "before") this.#containers.add(`${actor} ${subject}`);
  }

  /** Whether a stop is such a one. */
  take({ actor, subject }: StepEntry): boolean {
    return this.#containers.delete(`${actor} ${subject}`);
  }
}

/** The life lived already when another one made that call. */
function isBeside(call: StepEntry, actor: string, bornAtMs: ReadonlyMap<string, number>): boolean {
  return call.actor !== actor && (bornAtMs.get(actor) ?? 0) < call.atMs;
}

/** When the list was made that a life has got last. */
class Lists {
  readonly #made = new Map<string, number[]>();
  readonly #answered = new Map<string, number>();

  add({ step, phase, actor, atMs }: StepEntry): void {
    if (step !== "list-containers") return;
    const made = this.#made.get(actor) ?? [];
    this.#made.set(actor, made);
    if (phase === "applied") made.push(atMs);
    const oldest = phase === "received" ? made.shift() : undefined;
    if (oldest !== undefined) this.#answered.set(actor, oldest);
  }

  lastAnsweredMs(actor: string): number | undefined {
    return this.#answered.get(actor);
  }
}
