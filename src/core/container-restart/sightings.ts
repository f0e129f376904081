/**
 * Since when something has been the case, for the waits that may start over after a crash.
 *
 * A pure replacement for timers: the next round gets `next`, which keeps only what this round asked about.
 */
export class Sightings {
  readonly next = new Map<string, number>();
  readonly #before: ReadonlyMap<string, number>;
  readonly #nowMs: number;
  #lookAgainMs = Number.POSITIVE_INFINITY;

  constructor(before: ReadonlyMap<string, number>, nowMs: number) {
    this.#before = before;
    this.#nowMs = nowMs;
  }

  /** True once `what` has been the case for `delayMs`; until then the round is marked to be repeated when it will be. */
  isOlderThan(what: string, delayMs: number): boolean {
    const ageMs = this.ageMs(what);
    if (ageMs >= delayMs) return true;
    this.lookAgainIn(delayMs - ageMs);
    return false;
  }

  /** Marks the round to be repeated after `delayMs` at the latest. */
  lookAgainIn(delayMs: number): void {
    this.#lookAgainMs = Math.min(this.#lookAgainMs, delayMs);
  }

  /** How long `what` has been the case; 0 when seen for the first time. */
  ageMs(what: string): number {
    const sinceMs = Math.min(this.#before.get(what) ?? this.#nowMs, this.#nowMs);
    this.next.set(what, sinceMs);
    return this.#nowMs - sinceMs;
  }

  /** When the next wait of this round ends; undefined if nothing waits. */
  lookAgainMs(): number | undefined {
    return Number.isFinite(this.#lookAgainMs) ? this.#lookAgainMs : undefined;
  }
}
