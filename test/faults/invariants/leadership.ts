import type { Entry } from "../journal.js";

/** A leader renews every two seconds. */
const GAP_MS = 5_000;
/** A new leader has looked at everything. */
const CAUGHT_UP_MS = 5_000;

/** When a controller led, as its renewals tell. */
export class Leadership {
  readonly #renewalsMs: number[] = [0];

  add(entry: Entry): void {
    if (entry.type === "step" && entry.step === "renew-lease" && entry.phase === "received" && entry.outcome === "200")
      this.#renewalsMs.push(entry.atMs);
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
