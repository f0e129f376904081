import type { StoredObject } from "../../../src/sim/api-server/json.js";
import type { Entry } from "../journal.js";
import type { StepEntry } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";
import { isOnLease, isRenewal } from "./leadership.js";

/** How long a holder must have been silent before somebody else may take its Lease: fifteen seconds by a clock that may be fast. */
const SILENT_MS = 14_600;
/** For how long a renewal lets its leader write: ten seconds by a clock that may be slow, and what it takes to be answered. */
const RENEWED_MS = 10_500;
/** A process that has slept finds out when it wakes up, and may have sent something by then. */
const SLEPT_WITHIN_MS = 45_000;

/** Nobody takes the Lease from a leader that renews it, and nobody writes who has not renewed it. */
export const oneLeader: Invariant = {
  name: "one-leader",
  check: (entries) =>
    [...takings(entries), ...lawlessWrites(entries)].map(({ atMs, message }) => ({ invariant: "one-leader", atMs, message })),
};

type Finding = Omit<Violation, "invariant">;

function takings(entries: readonly Entry[]): readonly Finding[] {
  let lease = { holder: "", atMs: 0 };
  return entries.flatMap((entry) => {
    if (entry.type !== "object" || entry.plural !== "leases") return [];
    const { atMs } = entry;
    const before = lease;
    lease = { holder: holderOf(entry.object), atMs };
    const isTaken = before.holder !== "" && lease.holder !== "" && lease.holder !== before.holder;
    if (!isTaken || atMs - before.atMs >= SILENT_MS) return [];
    return [{ atMs, message: `${lease.holder} takes the Lease from ${before.holder}, which has just renewed it` }];
  });
}

function lawlessWrites(entries: readonly Entry[]): readonly Finding[] {
  const renewedAtMs = new Map<string, number>();
  let sleptAtMs = Number.NEGATIVE_INFINITY;
  return entries.flatMap((entry) => {
    const { atMs } = entry;
    if (entry.type === "fault" && entry.fault === "controller-pause") sleptAtMs = atMs;
    if (entry.type !== "step" || !entry.actor.startsWith("controller-")) return [];
    if (isRenewal(entry)) renewedAtMs.set(entry.actor, atMs);
    const sinceMs = atMs - (renewedAtMs.get(entry.actor) ?? Number.NEGATIVE_INFINITY);
    const isLawless = isWrite(entry) && sinceMs > RENEWED_MS && atMs - sleptAtMs > SLEPT_WITHIN_MS;
    return isLawless ? [{ atMs, message: `${entry.actor} writes (${entry.step}) without the Lease` }] : [];
  });
}

function holderOf(object: StoredObject): string {
  return (object as StoredObject & { readonly spec?: { readonly holderIdentity?: string } }).spec?.holderIdentity ?? "";
}

function isWrite(entry: StepEntry): boolean {
  return entry.phase === "before" && !entry.subject.startsWith("GET ") && !isOnLease(entry);
}
