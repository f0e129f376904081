import type { CancelTimer, Clock } from "../lib/clock.js";
import { backoffDelayMs, type BackoffOptions } from "../lib/backoff.js";
import type { Metrics } from "../lib/metrics.js";
import type { Random } from "../lib/random.js";
import type { KeyQueue } from "./reconciler.js";
import { TokenBucket } from "./token-bucket.js";
import { WorkQueueMetrics } from "./work-queue-metrics.js";

export interface WorkQueueOptions {
  /** Label of the metrics. */
  readonly name: string;
  /** Delays of `addRateLimited` per key. */
  readonly backoff: BackoffOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
}

interface Delayed {
  readonly atMs: number;
  readonly cancel: CancelTimer;
}

/** All keys together retry no faster than this. Source: client-go's default controller rate limiter. */
const OVERALL = { perSecond: 10, burst: 100 };

/**
 * Keys to work on: each is queued once, never handed out twice at a time, and handed out again if added while it was worked on.
 *
 * States of a key: (added) dirty and queued -> (get) processing -> (add) processing and dirty -> (done) queued again, or gone.
 * Whoever took a key by `get` must call `done`, else it never comes again; and `forget` after success, else its next retry waits longer.
 * Source: client-go util/workqueue.
 */
export class WorkQueue implements KeyQueue {
  readonly #options: WorkQueueOptions;
  readonly #metrics: WorkQueueMetrics;
  readonly #overall: TokenBucket;
  readonly #ready: string[] = [];
  readonly #dirty = new Set<string>();
  readonly #processing = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #takers: ((key: string) => void)[] = [];

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#metrics = new WorkQueueMetrics(options);
    this.#overall = new TokenBucket({ ...OVERALL, clock: options.clock });
  }

  add(key: string): void {
    if (this.#dirty.has(key)) return;
    this.#dirty.add(key);
    this.#metrics.added(key);
    if (!this.#processing.has(key)) this.#offer(key);
  }

  addAfter(key: string, delayMs: number): void {
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const { clock } = this.#options;
    const atMs = clock.monotonicMs() + delayMs;
    const pending = this.#delayed.get(key);
    if (pending !== undefined && pending.atMs <= atMs) return;
    pending?.cancel();
    const cancel = clock.schedule(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { atMs, cancel });
  }

  /** Adds the key after a delay that grows with each call until `forget`. @returns the delay in milliseconds */
  addRateLimited(key: string, atLeastMs = 0): number {
    const failures = this.countFailure(key) + 1;
    const { backoff, random } = this.#options;
    const delayMs = Math.max(atLeastMs, backoffDelayMs(backoff, failures, random), this.#overall.reserveMs());
    this.#metrics.retried();
    this.addAfter(key, delayMs);
    return delayMs;
  }

  /** Notes one more failure of a key. @returns how many there were before */
  countFailure(key: string): number {
    const before = this.failures(key);
    this.#failures.set(key, before + 1);
    return before;
  }

  /** Failures of the key since the last `forget`. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Takes the next key, waiting for one; rejects with `signal.reason`. */
  get(signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const stop = (): void => {
        this.#takers.splice(this.#takers.indexOf(take), 1);
        reject(signal.reason as Error);
      };
      const take = (key: string): void => {
        signal.removeEventListener("abort", stop);
        resolve(key);
      };
      const next = this.#ready.shift();
      if (next !== undefined) {
        this.#start(next);
        resolve(next);
        return;
      }
      signal.addEventListener("abort", stop, { once: true });
      this.#takers.push(take);
    });
  }

  /** Says that the work on a key has ended, well or badly. */
  done(key: string): void {
    this.#processing.delete(key);
    this.#metrics.finished(key);
    if (this.#dirty.has(key)) this.#offer(key);
  }

  /** Keys that are ready to be taken. */
  depth(): number {
    return this.#ready.length;
  }

  /** Brings those metrics up to date that change while nothing happens. */
  refreshMetrics(): void {
    this.#metrics.refresh();
  }

  /** Drops delayed keys and their timers; for shutdown. */
  close(): void {
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
  }

  #offer(key: string): void {
    const take = this.#takers.shift();
    if (take === undefined) {
      this.#ready.push(key);
      this.#metrics.depth(this.#ready.length);
      return;
    }
    this.#start(key);
    take(key);
  }

  #start(key: string): void {
    this.#dirty.delete(key);
    this.#processing.add(key);
    this.#metrics.started(key);
    this.#metrics.depth(this.#ready.length);
  }
}
