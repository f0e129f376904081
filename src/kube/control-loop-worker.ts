import type { Clock } from "../lib/clock.js";
import { failureKind, OperationError, type FailureKind } from "../lib/failure.js";
import type { Logger } from "../lib/logger.js";
import type { Counter, Histogram, Metrics } from "../lib/metrics.js";
import type { Random } from "../lib/random.js";
import type { Task } from "../lib/tasks.js";
import { failureFields } from "./failure-fields.js";
import type { Reconciler, ReconcileResult } from "./reconciler.js";
import type { WorkQueue } from "./work-queue.js";

export interface WorkerOptions {
  readonly name: string;
  readonly reconciler: Reconciler;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Any throw that no adapter made. */
type FailureClass = FailureKind | "bug";

/** A conflict means that our cache is behind by milliseconds: come back soon. */
const CONFLICT_MS = 20;
const MAX_CONFLICT_MS = 5_000;
/** What only a change of the object can heal is still looked at now and then. */
const INVALID_MS = 300_000;
const DENIED_MS = 20_000;
const UNSUPPORTED_MS = 60_000;

const LOG_LEVEL: Readonly<Record<FailureClass, "debug" | "warn" | "error">> = {
  transient: "warn",
  conflict: "debug",
  missing: "debug",
  invalid: "error",
  denied: "error",
  unsupported: "warn",
  bug: "error",
};

const RECONCILE_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60];

/** One worker of a control loop. */
export class Worker implements Task {
  readonly name = "worker";
  readonly #queue: WorkQueue;
  readonly #options: WorkerOptions;
  readonly #logger: Logger;
  readonly #results: Counter;
  readonly #durations: Histogram;

  constructor(queue: WorkQueue, options: WorkerOptions) {
    this.#queue = queue;
    this.#options = options;
    this.#logger = options.logger.child({ controller: options.name });
    this.#results = options.metrics.counter({
      name: "podmend_reconcile_total",
      help: "Reconciles by controller and result: success, or the kind of failure",
      labels: ["controller", "result"],
      zero: ["success", ...Object.keys(LOG_LEVEL)].map((result) => ({ controller: options.name, result })),
    });
    this.#durations = options.metrics.histogram({
      name: "podmend_reconcile_duration_seconds",
      help: "Time that one reconcile takes",
      labels: ["controller"],
      buckets: RECONCILE_BUCKETS,
    });
  }

  /** Reconciles keys until the signal aborts, then rejects with its reason. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const key = await this.#queue.get(signal);
      try {
        await this.#reconcile(key, signal);
      } finally {
        this.#queue.done(key);
      }
    }
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<void> {
    const { clock, reconciler, random, name } = this.#options;
    const attempt = this.#queue.failures(key) + 1;
    const startMs = clock.monotonicMs();
    try {
      const result = await reconciler.reconcile(key, signal);
      this.#results.increment({ controller: name, result: "success" });
      this.#requeue(key, result);
    } catch (error) {
      if (signal.aborted && (error === signal.reason || failureKind(error) !== undefined)) return; // asked to stop: no failure
      const failure = failureKind(error) ?? "bug";
      this.#results.increment({ controller: name, result: failure });
      const requeueAfterMs = this.#requeueFailed(key, failure, error);
      const durationMs = Math.round(clock.monotonicMs() - startMs);
      const fields = { key, reconcileId: random.hex(8), attempt, durationMs, requeueAfterMs, ...failureFields(error) };
      this.#logger[LOG_LEVEL[failure]]("Reconcile fails", fields);
    } finally {
      this.#durations.observe((clock.monotonicMs() - startMs) / 1000, { controller: name });
    }
  }

  #requeue(key: string, { requeueAfterMs }: ReconcileResult): void {
    this.#queue.forget(key);
    if (requeueAfterMs !== undefined) this.#queue.addAfter(key, requeueAfterMs);
  }

  /** @returns after how long the key comes back, undefined if it does not */
  #requeueFailed(key: string, failure: FailureClass, error: unknown): number | undefined {
    switch (failure) {
      case "transient":
        return this.#queue.addRateLimited(key, error instanceof OperationError ? error.retryAfterMs : undefined);
      case "bug":
        return this.#queue.addRateLimited(key);
      case "conflict":
        return this.#comeBack(key, Math.min(MAX_CONFLICT_MS, CONFLICT_MS * 2 ** this.#queue.countFailure(key)));
      case "invalid":
        return this.#comeBack(key, INVALID_MS);
      case "denied":
        return this.#comeBack(key, DENIED_MS);
      case "unsupported":
        return this.#comeBack(key, UNSUPPORTED_MS);
      case "missing":
        this.#queue.forget(key);
        return undefined;
    }
  }

  #comeBack(key: string, delayMs: number): number {
    this.#queue.addAfter(key, delayMs);
    return delayMs;
  }
}
