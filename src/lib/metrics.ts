/** Label values of one series; every label name was declared when the metric was made. */
export type MetricLabels = Readonly<Record<string, string>>;

export interface Counter {
  increment(labels?: MetricLabels, amount?: number): void;
}

export interface Gauge {
  set(value: number, labels?: MetricLabels): void;
  /** Forgets one series, for example of an object that is gone. */
  remove(labels: MetricLabels): void;
}

export interface Histogram {
  observe(value: number, labels?: MetricLabels): void;
}

/** How one metric is declared. Names follow Prometheus: base units, `_total` for counters; labels are bounded sets. */
export interface MetricDeclaration {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Series that exist from the start with value zero, so that rates exist before the first event. */
  readonly zero?: readonly MetricLabels[];
}

/** Upper bounds of a histogram's buckets, in the metric's own unit. */
export interface HistogramDeclaration extends MetricDeclaration {
  readonly buckets: readonly number[];
}

/** Metrics as a port. Declaring one name twice gives the same metric. */
export interface Metrics {
  counter(declaration: MetricDeclaration): Counter;
  gauge(declaration: MetricDeclaration): Gauge;
  histogram(declaration: HistogramDeclaration): Histogram;
}

/** Metrics that count nothing. */
export const silentMetrics: Metrics = {
  counter: () => ({ increment: () => undefined }),
  gauge: () => ({ set: () => undefined, remove: () => undefined }),
  histogram: () => ({ observe: () => undefined }),
};
