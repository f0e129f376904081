import type { Clock } from "../lib/clock.js";
import type { Logger } from "../lib/logger.js";
import type { Metrics } from "../lib/metrics.js";
import type { Random } from "../lib/random.js";
import type { Task } from "../lib/tasks.js";
import type { KeyQueue, Reconciler } from "./reconciler.js";

/** How one control loop runs. */
export interface ControlLoopOptions {
  /** Folder name of the reconciler, such as `clone-set`; label of logs and metrics. */
  readonly name: string;
  readonly reconciler: Reconciler;
  /** Keys processed side by side. */
  readonly workers: number;
  /** Caches that must have been filled before the first key is processed. */
  readonly waitFor: readonly Synced[];
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
