import type { Entry } from "../journal.js";
import type { StepEntry } from "./history.js";

/** A leader renews every two seconds. */
const GAP_MS = 5_000;
/** A new leader has looked at everything. */
const CAUGHT_UP_MS = 5_000;

const ON_LEASE = ["take-lease", "renew-lease"];

/** A request by which somebody takes or keeps the Lease. */
export function isOnLease({ step }: StepEntry): boolean {
  return ON_LEASE.includes(step);
}

/** From here on somebody leads, or leads on. */
export function isRenewal(entry: StepEntry): boolean {
  return isOnLease(entry) && entry.phase === "received" && entry.outcome?.startsWith("20") === true;
}

/** When a controller led, as its renewals tell. */
export class Leadership {
  readonly #renewalsMs: number[] = [0];

  add(entry: Entry): void {
    if (entry.type === "step" && isRenewal(entry)) this.#renewalsMs.push(entry.atMs);
  }

  /** The last moment until which somebody surely led; the moment itself if a leader is there, and has been for a while. */
  ledUntilMs(atMs: number): number {
    const times = [...this.#renewalsMs.filter((time) => time <= atMs), atMs];
    const gaps = times.flatMap((time, index) => {
      const nextMs = times[index + 1] ?? time;
      return nextMs - time > GAP_MS && nextMs > atMs - CAUGHT_UP_MS ? [time] : [];
    });
    return Math.min(atMs, ...gaps);
  }
}
