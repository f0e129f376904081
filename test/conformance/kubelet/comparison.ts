import { type Entry, sequenceOf } from "./run.js";

/** What several runs of one scenario showed. */
export interface Runs {
  /** Each order of statuses that occurred, once. */
  readonly sequences: readonly string[];
  /** When each status was first seen after what was done last: the median over the runs that show it. Units: milliseconds. */
  readonly medianMs: Readonly<Record<string, number>>;
}

export function summarize(runs: readonly (readonly Entry[])[]): Runs {
  const times = new Map<string, number[]>();
  for (const entries of runs) {
    for (const { act, text, sinceActMs } of entries) {
      const key = `${act}: ${text}`;
      times.set(key, [...(times.get(key) ?? []), sinceActMs]);
    }
  }
  const medians = [...times].map(([key, values]) => [key, Math.round(medianOf(values))] as const);
  return { sequences: [...new Set(runs.map(sequenceOf))], medianMs: Object.fromEntries(medians) };
}

/** Times agree within so much: a factor, and what a busy machine of two cores takes for anything. */
const FACTOR = 1.5;
const SLACK_MS = 500;

/** One line for each difference between the model and the real kubelet; none: they agree. */
export function differences(model: Runs, real: Runs): readonly string[] {
  const known = new Set(model.sequences);
  const orders = real.sequences.filter((sequence) => !known.has(sequence));
  const wrong = orders.filter((sequence) => !model.sequences.some((longer) => leavesOut(sequence, longer)));
  const isNeverWhole = orders.length === real.sequences.length;
  return [
    ...wrong.map((sequence) => `an order that the model never shows:\n${sequence}\nit shows:\n${model.sequences.join("\nor:\n")}`),
    ...(isNeverWhole && wrong.length === 0 ? [`no real run is complete:\n${real.sequences.join("\nor:\n")}`] : []),
    ...Object.entries(real.medianMs).flatMap(([key, realMs]) => {
      const modelMs = model.medianMs[key];
      return modelMs === undefined || isNear(modelMs, realMs) ? [] : [`${key}: ${String(realMs)} ms, in the model ${String(modelMs)} ms`];
    }),
  ];
}

function isNear(a: number, b: number): boolean {
  return Math.max(a, b) <= Math.min(a, b) * FACTOR + SLACK_MS;
}

/**
 * Whether a sequence is another one without some of its states. The real kubelet writes what is newest when it comes to writing: on a busy
 * machine it skips a status that does not last.
 */
function leavesOut(sequence: string, longer: string): boolean {
  const lines = longer.split("\n");
  let at = -1;
  return sequence.split("\n").every((line) => {
    at = lines.indexOf(line, at + 1);
    return at >= 0;
  });
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}
