import { backoffDelayMs } from "../../lib/backoff.js";
import type { Clock } from "../../lib/clock.js";
import type { Random } from "../../lib/random.js";

/** Something that was refused and is not tried again yet. */
export interface Hold {
  readonly wish: string;
  readonly message: string;
  /** Units: milliseconds of the monotonic clock. */
  readonly untilMs: number;
  readonly failures: number;
  /** No answer came: it may have been done all the same. Time does not end that, for a cache may be behind for any time. */
  readonly isInDoubt?: true;
}

const INITIAL_MS = 5_000;
const JITTER = 0.2;

/**
 * Remembers, only to slow down, what the API server refused: to bring a pod (its uid) to a revision, or to create pods for a CloneSet
 * (its uid) as one generation of it wants them.
 *
 * A pass comes with every change of any pod. Without this, each would ask again; and starting an update takes the pod out of service
 * first, so an immediate next try would do that over and over.
 */
export class Holds {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #maxMs: number;
  readonly #byUid = new Map<string, Hold>();

  constructor(clock: Clock, random: Random, maxMs: number) {
    this.#clock = clock;
    this.#random = random;
    this.#maxMs = maxMs;
  }

  /** What keeps this wish back now; another wish of the same object passes. */
  current(uid: string, wish: string): Hold | undefined {
    const hold = this.#byUid.get(uid);
    return hold?.wish === wish && hold.untilMs > this.#clock.monotonicMs() ? hold : undefined;
  }

  add(uid: string, wish: string, message: string): Hold {
    const before = this.#byUid.get(uid);
    const failures = before?.wish === wish ? before.failures + 1 : 1;
    const backoff = { initialMs: INITIAL_MS, maxMs: this.#maxMs, jitter: JITTER };
    const untilMs = this.#clock.monotonicMs() + backoffDelayMs(backoff, failures, this.#random);
    const hold = { wish, message, untilMs, failures };
    this.#byUid.set(uid, hold);
    return hold;
  }

  /** Notes that the last try of what is held may have been done all the same. */
  doubt(uid: string): void {
    const hold = this.#byUid.get(uid);
    if (hold !== undefined) this.#byUid.set(uid, { ...hold, isInDoubt: true });
  }

  /** What may have been done all the same, whatever the wish was. */
  inDoubt(uid: string): Hold | undefined {
    const hold = this.#byUid.get(uid);
    return hold?.isInDoubt === true ? hold : undefined;
  }

  /** Keeps in doubt what could not be asked about. That costs nothing, so it is asked again soon, however often the update has failed. */
  prolong(uid: string, message: string): void {
    const hold = this.#byUid.get(uid);
    if (hold !== undefined) this.#byUid.set(uid, { ...hold, message, untilMs: this.#clock.monotonicMs() + INITIAL_MS });
  }

  /** Notes that whether the last try was done is known by now; how often it has failed stays. */
  settle(uid: string): void {
    const hold = this.#byUid.get(uid);
    if (hold === undefined) return;
    const { wish, message, untilMs, failures } = hold;
    this.#byUid.set(uid, { wish, message, untilMs, failures });
  }

  /** Forgets an object that is gone or got its wish. */
  remove(uid: string): void {
    this.#byUid.delete(uid);
  }
}
