import type { BackoffOptions } from "../lib/backoff.js";
import type { Clock } from "../lib/clock.js";
import type { Logger } from "../lib/logger.js";
import type { Metrics } from "../lib/metrics.js";
import type { Random } from "../lib/random.js";
import { runAll, type Task } from "../lib/tasks.js";
import { Worker } from "./control-loop-worker.js";
import type { KeyQueue, Reconciler } from "./reconciler.js";
import { WorkQueue } from "./work-queue.js";

/** How one control loop runs. */
export interface ControlLoopOptions {
  /** Folder name of the reconciler, such as `clone-set`; label of logs and metrics. */
  readonly name: string;
  readonly reconciler: Reconciler;
  /** Keys processed side by side. */
  readonly workers: number;
  /** Caches that must have been filled before the first key is processed. */
  readonly waitFor: readonly Synced[];
  /** Retries of one key after transient failures; default: 200 ms, doubling to a minute. */
  readonly backoff?: BackoffOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface Synced {
  waitForSync(signal: AbortSignal): Promise<void>;
}

/** A queue of keys and the workers that reconcile them. */
export interface ControlLoop extends Task {
  readonly queue: KeyQueue;
}

/** Retries of one key after transient failures: never so rare that half a minute after their end something is still to be done. */
const BACKOFF = { initialMs: 200, maxMs: 20_000, jitter: 0.2 };
const REFRESH_METRICS_MS = 10_000;

/**
 * A control loop: waits for its caches, then reconciles keys until the signal aborts; a failure of one key never stops it.
 *
 * On abort, the reconciles in progress see their signal abort; `run` ends after the last of them.
 */
export function createControlLoop(options: ControlLoopOptions): ControlLoop {
  const queue = new WorkQueue({ ...options, backoff: options.backoff ?? BACKOFF });
  return {
    name: `control-loop/${options.name}`,
    queue,
    async run(signal) {
      await Promise.all(options.waitFor.map((cache) => cache.waitForSync(signal)));
      const workers = Array.from({ length: options.workers }, () => new Worker(queue, options));
      const refreshing: Task = { name: "queue metrics", run: (stop) => refreshMetrics(queue, options.clock, stop) };
      await runAll([...workers, refreshing], signal).finally(() => queue.close());
    },
  };
}

async function refreshMetrics(queue: WorkQueue, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    await clock.sleep(REFRESH_METRICS_MS, signal);
    queue.refreshMetrics();
  }
}
