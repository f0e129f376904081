import { FLOWS } from "../flows/catalogue.js";
import type { Flow } from "../flows/flow.js";
import type { Phase } from "../journal.js";
import { SeededRandom } from "../../support/seeded-random.js";
import { type Cell, cellsOf } from "./cells.js";
import type { Plan, PlannedFault, Shape } from "./plan.js";

const PHASES: readonly Phase[] = ["before", "applied", "received"];
const MAX_FAULTS = 9;
const MAX_DELAY_MS = 2_000;
/** Flows take turns, each as often as it has steps. */
const TURNS: readonly Flow[] = FLOWS.flatMap((flow) => flow.steps.map(() => flow));
const CELLS: ReadonlyMap<string, readonly Cell[]> = new Map(FLOWS.map((flow) => [flow.name, cellsOf(flow)]));
/** The cells of a flow in the order of one round; every round has another one, so that all pairs meet. */
const ROUNDS = new Map<string, readonly Cell[]>();

/** The plan of a seed. Cells of flow step and fault are dealt out in turn, so that any long row of seeds has each of them equally often. */
export function expand(seed: number): Plan {
  const random = new SeededRandom(seed, "plan");
  const turn = seed % TURNS.length;
  const flow = TURNS[turn];
  if (flow === undefined) throw new Error("Cannot make a plan: there is no flow");
  const podCount = random.between(1, 5);
  const shape: Shape = {
    nodeCount: random.between(1, 3),
    podCount,
    maxUnavailable: random.next() < 0.3 ? podCount : random.between(1, podCount),
    graceSeconds: random.next() < 0.25 ? random.between(1, 4) : 0,
    hasPreStop: flow.hasPreStop ?? random.next() < 0.2,
    isSeasoned: flow.seasonsFrom !== undefined && random.next() < 0.4,
    nodeDistanceMs: random.next() < 0.4 ? random.between(20, 150) : 0,
    hasSkewedClocks: random.next() < 0.3,
  };
  return { seed, flow: flow.name, shape, faults: dealt(seed, flow, random) };
}

function dealt(seed: number, flow: Flow, random: SeededRandom): readonly PlannedFault[] {
  const cellCount = (CELLS.get(flow.name) ?? []).length;
  const before = TURNS.slice(0, seed % TURNS.length).filter((other) => other === flow).length;
  const first = (Math.floor(seed / TURNS.length) * flow.steps.length + before) * MAX_FAULTS;
  // A third of the plans has few faults: what needs just one must not drown in others.
  const count = random.next() < 0.33 ? random.between(1, 2) : MAX_FAULTS;
  return Array.from({ length: count }, (_, index) => {
    const place = first + index;
    const cell = round(flow, Math.floor(place / cellCount))[place % cellCount];
    if (cell === undefined) throw new Error(`Cannot make a plan: flow "${flow.name}" has no cells`);
    return plannedFault(cell, random);
  });
}

function round(flow: Flow, number: number): readonly Cell[] {
  const key = `${flow.name}/${String(number)}`;
  const known = ROUNDS.get(key);
  if (known !== undefined) return known;
  const random = new SeededRandom(number, `round/${flow.name}`);
  const shuffled = (CELLS.get(flow.name) ?? [])
    .map((cell) => ({ cell, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ cell }) => cell);
  ROUNDS.set(key, shuffled);
  return shuffled;
}

function plannedFault({ step, fault }: Cell, random: SeededRandom): PlannedFault {
  const mustBeNow = fault.intercept !== undefined;
  return {
    step,
    phase: mustBeNow ? "before" : random.pick(PHASES),
    nth: random.next() < 0.9 ? 1 : random.between(2, 3),
    afterMs: mustBeNow || random.next() < 0.5 ? 0 : delayMs(random),
    fault: fault.name,
    strength: Math.round(random.next() * 1000) / 1000,
  };
}

/** As many within milliseconds as within tenths of a second, or seconds. */
function delayMs(random: SeededRandom): number {
  return Math.round(MAX_DELAY_MS ** random.next());
}
