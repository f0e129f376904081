import { FLOWS } from "../flows/catalogue.js";
import { cellsOf } from "../plan/cells.js";
import { RARE_STATES } from "../rare-states.js";
import type { Summary } from "./messages.js";

/** What many runs have reached. */
export interface Coverage {
  readonly runs: number;
  readonly violations: readonly Summary[];
  /** How often each "flow/step/fault" really happened. */
  readonly cells: ReadonlyMap<string, number>;
  readonly rareStates: ReadonlyMap<string, number>;
  readonly medians: Readonly<Record<string, number>>;
}

/** Adds up runs. */
export function coverageOf(summaries: readonly Summary[]): Coverage {
  const cells = new Map<string, number>();
  for (const flow of FLOWS) for (const { step, fault } of cellsOf(flow)) cells.set(cellOf(flow.name, step, fault.name), 0);
  const rareStates = new Map<string, number>();
  for (const { plan, hits, rareStates: reached } of summaries) {
    for (const { step, fault } of hits) count(cells, cellOf(plan.flow, step, fault));
    for (const state of reached) count(rareStates, state);
  }
  return {
    runs: summaries.length,
    violations: summaries.filter(({ violations }) => violations.length > 0),
    cells,
    rareStates,
    medians: mediansOf(summaries),
  };
}

/** A row of schedules this long must have been everywhere, so that "no violation" means something. */
const LONG_ROW = 10_000;
const MIN_HITS = 20;

/** What a long row of schedules has missed: places of faults hit too seldom, rare states never reached. Empty for a shorter row. */
export function gapsOf({ runs, cells, rareStates }: Coverage): readonly string[] {
  if (runs < LONG_ROW) return [];
  const seldom = [...cells]
    .filter(([, hits]) => hits < MIN_HITS)
    .map(([cell, hits]) => `${cell} hit ${String(hits)} times of ${String(MIN_HITS)}`);
  const unreached = RARE_STATES.filter(({ name }) => !rareStates.has(name)).map(({ name }) => `rare state "${name}" not reached`);
  return [...seldom, ...unreached];
}

/** The report for people. */
export function reportText({ runs, violations, cells, rareStates, medians }: Coverage): string {
  const counts = [...cells.values()];
  const weakest = [...cells].sort((a, b) => a[1] - b[1]).slice(0, 5);
  const lines = [
    `${String(runs)} schedules, ${String(violations.length)} with violations`,
    `flow step x fault: ${String(counts.length)} cells, least often hit ${String(Math.min(...counts))} times (${weakest.map(([cell, hits]) => `${cell} ${String(hits)}`).join(", ")})`,
    ...FLOWS.map(
      ({ name, steps }) => `  ${name}: ${steps.map((step) => `${step} ${String(leastOf(cells, `${name}/${step}/`))}`).join(", ")}`,
    ),
    `rare states reached: ${String(rareStates.size)} (${[...rareStates]
      .sort((a, b) => a[1] - b[1])
      .map(([state, hits]) => `${state} ${String(hits)}`)
      .join(", ")})`,
    `medians: ${Object.entries(medians)
      .map(([name, value]) => `${name} ${value.toFixed(0)}`)
      .join(", ")}`,
  ];
  return lines.join("\n");
}

function cellOf(flow: string, step: string, fault: string): string {
  return `${flow}/${step}/${fault}`;
}

function leastOf(cells: ReadonlyMap<string, number>, prefix: string): number {
  return Math.min(...[...cells].filter(([cell]) => cell.startsWith(prefix)).map(([, hits]) => hits));
}

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}

function mediansOf(summaries: readonly Summary[]): Readonly<Record<string, number>> {
  const median = (of: (summary: Summary) => number): number => {
    const sorted = summaries.map(of).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  return {
    nodes: median(({ plan }) => plan.shape.nodeCount),
    pods: median(({ plan }) => plan.shape.podCount),
    "faults that happened": median(({ hits }) => hits.length),
    "events per run": median(({ eventCount }) => eventCount),
    "ms to converge after the last fault": median(({ convergedAfterMs }) => convergedAfterMs),
  };
}
