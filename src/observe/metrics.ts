import { Counter as PromCounter, Gauge as PromGauge, Histogram as PromHistogram, Registry, collectDefaultMetrics } from "prom-client";
import type { Counter, Gauge, Histogram, HistogramDeclaration, MetricDeclaration, MetricLabels, Metrics } from "../lib/metrics.js";

/** Metrics that can be scraped. */
export interface MetricsRegistry extends Metrics {
  readonly contentType: string;
  /** All metrics in Prometheus' text format. */
  render(): Promise<string>;
}

// Gauges that prom-client names like counters; promtool refuses them.
const MISNAMED_DEFAULTS: readonly string[] = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

// Node wakes up this often for it, also when nothing happens; the library's own 10 ms would be 100 times a second on every node.
const EVENT_LOOP_SAMPLING_MS = 100;

/** What the build is, as labels of `podmend_build_info`. */
export interface BuildInfo {
  readonly version: string;
  readonly nodeVersion: string;
  readonly component: string;
}

/** A registry with the process's own metrics and `podmend_build_info`. */
export function createMetrics(build: BuildInfo): MetricsRegistry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLING_MS });
  for (const name of MISNAMED_DEFAULTS) registry.removeSingleMetric(name);
  const metrics = new PromMetrics(registry);
  metrics
    .gauge({ name: "podmend_build_info", help: "Always 1; the build is in the labels.", labels: ["version", "node_version", "component"] })
    .set(1, { version: build.version, node_version: build.nodeVersion, component: build.component });
  return metrics;
}

class PromMetrics implements MetricsRegistry {
  readonly #registry: Registry;
  readonly #declared = new Map<string, PromCounter | PromGauge | PromHistogram>();
  readonly #zeroed = new Set<string>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  render(): Promise<string> {
    return this.#registry.metrics();
  }

  counter(declaration: MetricDeclaration): Counter {
    const counter = this.#once(declaration, () => new PromCounter(this.#config(declaration)));
    for (const labels of this.#newSeries(declaration)) counter.inc(labels, 0);
    return { increment: (labels = {}, amount = 1) => counter.inc(labels, amount) };
  }

  gauge(declaration: MetricDeclaration): Gauge {
    const gauge = this.#once(declaration, () => new PromGauge(this.#config(declaration)));
    for (const labels of this.#newSeries(declaration)) gauge.set(labels, 0);
    return { set: (value, labels = {}) => gauge.set(labels, value), remove: (labels) => gauge.remove(labels) };
  }

  histogram(declaration: HistogramDeclaration): Histogram {
    const histogram = this.#once(declaration, () => new PromHistogram({ ...this.#config(declaration), buckets: [...declaration.buckets] }));
    for (const labels of this.#newSeries(declaration)) histogram.zero(labels);
    return { observe: (value, labels = {}) => histogram.observe(labels, value) };
  }

  /** What is to be set to zero: only series that no earlier declaration of the same metric made, since they may count by now. */
  #newSeries({ name, labels = [], zero }: MetricDeclaration): readonly MetricLabels[] {
    const wanted = zero ?? (labels.length === 0 ? [{}] : []);
    return wanted.filter((series) => {
      const id = `${name} ${labels.map((label) => series[label]).join()}`;
      const isNew = !this.#zeroed.has(id);
      this.#zeroed.add(id);
      return isNew;
    });
  }

  #config({ name, help, labels = [] }: MetricDeclaration): { name: string; help: string; labelNames: string[]; registers: Registry[] } {
    return { name, help, labelNames: [...labels], registers: [this.#registry] };
  }

  #once<T extends PromCounter | PromGauge | PromHistogram>(declaration: MetricDeclaration, make: () => T): T {
    const known = this.#declared.get(declaration.name);
    if (known !== undefined) return known as T;
    const made = make();
    this.#declared.set(declaration.name, made);
    return made;
  }
}
