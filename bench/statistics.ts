/** Times or sizes of one kind, with what a reader wants to know of them. */
export interface Summary {
  readonly n: number;
  readonly p50: number;
  readonly p90: number;
  readonly max: number;
}

/** The value below which a share of the samples lies. NaN for none. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function summarize(samples: readonly number[]): Summary {
  return { n: samples.length, p50: quantile(samples, 0.5), p90: quantile(samples, 0.9), max: Math.max(...samples) };
}

/** One line: a name and its summary, in the unit. */
export function row(name: string, samples: readonly number[], unit: string): string {
  const { n, p50, p90, max } = summarize(samples);
  const number = (value: number): string => value.toFixed(0).padStart(7);
  return `  ${name.padEnd(34)} n ${String(n).padStart(3)}  p50 ${number(p50)}  p90 ${number(p90)}  max ${number(max)} ${unit}`;
}

/** One line: a goal, what was reached, and whether that is enough. */
export function verdict(goal: string, reached: number, limit: number): string {
  return `  ${reached <= limit ? "met   " : "MISSED"} ${goal}: ${reached.toFixed(2)} (limit ${limit})`;
}

/** The same for a goal that is met by what is large. */
export function atLeast(goal: string, reached: number, least: number): string {
  return `  ${reached >= least ? "met   " : "MISSED"} ${goal}: ${reached.toFixed(2)} (at least ${least})`;
}
