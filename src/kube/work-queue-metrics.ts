import type { Clock } from "../lib/clock.js";
import type { Counter, Gauge, Histogram, MetricLabels, Metrics } from "../lib/metrics.js";

const BUCKETS = [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 60, 300];

interface QueueMetricsOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** The usual `workqueue_*` metrics of one queue, under the names that dashboards know. */
export class WorkQueueMetrics {
  readonly #clock: Clock;
  readonly #labels: MetricLabels;
  readonly #addedAtMs = new Map<string, number>();
  readonly #startedAtMs = new Map<string, number>();
  readonly #depth: Gauge;
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #queueSeconds: Histogram;
  readonly #workSeconds: Histogram;
  readonly #unfinishedSeconds: Gauge;

  constructor({ name, clock, metrics }: QueueMetricsOptions) {
    this.#clock = clock;
    this.#labels = { name };
    const common = { labels: ["name"], zero: [this.#labels] };
    this.#depth = metrics.gauge({ ...common, name: "workqueue_depth", help: "Keys that wait for a worker" });
    this.#adds = metrics.counter({ ...common, name: "workqueue_adds_total", help: "Keys added" });
    this.#retries = metrics.counter({ ...common, name: "workqueue_retries_total", help: "Keys added again after a failure" });
    this.#queueSeconds = metrics.histogram({
      ...common,
      name: "workqueue_queue_duration_seconds",
      help: "Time a key waits for a worker",
      buckets: BUCKETS,
    });
    this.#workSeconds = metrics.histogram({
      ...common,
      name: "workqueue_work_duration_seconds",
      help: "Time a worker spends on a key",
      buckets: BUCKETS,
    });
    this.#unfinishedSeconds = metrics.gauge({
      ...common,
      name: "workqueue_unfinished_work_seconds",
      help: "Time spent so far on keys that are worked on; grows while a worker is stuck",
    });
  }

  added(key: string): void {
    this.#adds.increment(this.#labels);
    this.#addedAtMs.set(key, this.#clock.monotonicMs());
  }

  started(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    this.#queueSeconds.observe((nowMs - (this.#addedAtMs.get(key) ?? nowMs)) / 1000, this.#labels);
    this.#addedAtMs.delete(key);
    this.#startedAtMs.set(key, nowMs);
  }

  finished(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    this.#workSeconds.observe((nowMs - (this.#startedAtMs.get(key) ?? nowMs)) / 1000, this.#labels);
    this.#startedAtMs.delete(key);
    this.refresh();
  }

  retried(): void {
    this.#retries.increment(this.#labels);
  }

  depth(value: number): void {
    this.#depth.set(value, this.#labels);
  }

  /** To be called now and then, since a stuck worker calls nothing. */
  refresh(): void {
    const nowMs = this.#clock.monotonicMs();
    let seconds = 0;
    for (const startedAtMs of this.#startedAtMs.values()) seconds += (nowMs - startedAtMs) / 1000;
    this.#unfinishedSeconds.set(seconds, this.#labels);
  }
}
