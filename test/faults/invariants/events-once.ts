import { writesOf } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";

/** The members of an Event that make it one fact. */
interface EventFacts {
  readonly involvedObject?: { readonly uid?: string; readonly kind?: string; readonly name?: string };
  readonly reason?: string;
  readonly message?: string;
  readonly reportingComponent?: string;
}

/** One fact is one Event of the life that recorded it, and counts up. */
export const eventsOnce: Invariant = {
  name: "events-once",
  check(entries) {
    const seen = new Set<string>();
    const violations: Violation[] = [];
    for (const [index, entry] of entries.entries()) {
      if (entry.type !== "step" || entry.step !== "record-event" || entry.phase !== "applied") continue;
      for (const { change, object } of writesOf(entries, index)) {
        if (change !== "ADDED") continue;
        const { involvedObject = {}, reason = "", message = "", reportingComponent } = object as EventFacts;
        const fact = JSON.stringify([
          entry.actor,
          reportingComponent,
          involvedObject.kind,
          involvedObject.name,
          involvedObject.uid,
          reason,
          message,
        ]);
        if (seen.has(fact))
          violations.push({ invariant: "events-once", atMs: entry.atMs, message: `${entry.actor} records again: ${reason} ${message}` });
        seen.add(fact);
      }
    }
    return violations;
  },
};
