import { backoffDelayMs } from "../../lib/backoff.js";
import type { Clock } from "../../lib/clock.js";
import type { Random } from "../../lib/random.js";

/** A pod whose update was refused and is not tried again yet. */
export interface Hold {
  readonly revision: string;
  readonly message: string;
  readonly untilMs: number;
  readonly failures: number;
}

const BACKOFF = { initialMs: 5_000, maxMs: 300_000, jitter: 0.2 };

/**
 * Remembers, only to slow down, which pods could not be brought to which revision.
 *
 * Starting an update takes the pod out of service first. If the API server then refuses the change, an immediate next try would do
 * that over and over.
 */
export class Holds {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #byPod = new Map<string, Hold>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** What holds this pod back from that revision now. */
  current(podUid: string, revision: string): Hold | undefined {
    const hold = this.#byPod.get(podUid);
    return hold?.revision === revision && hold.untilMs > this.#clock.nowMs() ? hold : undefined;
  }

  add(podUid: string, revision: string, message: string): void {
    const before = this.#byPod.get(podUid);
    const failures = before?.revision === revision ? before.failures + 1 : 1;
    const untilMs = this.#clock.nowMs() + backoffDelayMs(BACKOFF, failures, this.#random);
    this.#byPod.set(podUid, { revision, message, untilMs, failures });
  }

  /** Forgets a pod that is gone or was updated. */
  remove(podUid: string): void {
    this.#byPod.delete(podUid);
  }
}
