import type { SimCluster } from "../cluster/sim-cluster.js";
import type { ProcessHost } from "../cluster/process-host.js";
import type { SimNode } from "../cluster/sim-node.js";
import type { Flow } from "../flows/flow.js";
import type { StepHit } from "../journal.js";
import type { SeededRandom } from "../../support/seeded-random.js";
import type { Shape } from "../plan/plan.js";
import type { Interception } from "../wires/interception.js";

/** Where and when a fault begins. */
export interface FaultContext {
  readonly cluster: SimCluster;
  readonly flow: Flow;
  readonly shape: Shape;
  readonly hit: StepHit;
  /** From 0 to 1. */
  readonly strength: number;
  readonly random: SeededRandom;
  /** The node that the step belongs to, else any. */
  readonly node: SimNode;
  /** The process that the step belongs to. */
  readonly process: ProcessHost;
  /** A controller: the one that the step belongs to, else the one that leads or did. */
  readonly controller: ProcessHost;
}

/** One kind of fault. */
export interface Fault {
  readonly name: string;
  /** Only in these flows; default: in all. */
  readonly flows?: readonly string[];
  /** Makes it happen. @returns how long until it is over. Units: milliseconds */
  begin?(context: FaultContext): number;
  /** What happens to the one request of the step instead. */
  readonly intercept?: (context: FaultContext) => Interception;
}

/** Flows that have a workload. */
export const WITH_SET = ["env-update", "drained-restart", "image-update", "recreate"];

/** Flows in which the agent stops containers. */
export const WITH_STOPS = ["env-update", "drained-restart"];

/** Between two durations, by the plan's strength. */
export function scaled(strength: number, lowMs: number, highMs: number): number {
  return lowMs + strength * (highMs - lowMs);
}

/** Makes something happen that lasts for a time between two, by the plan's strength, and ends by itself. @returns that time. Units: milliseconds */
export function lasting(
  { strength }: Pick<FaultContext, "strength">,
  [lowMs, highMs]: readonly [number, number],
  begin: (durationMs: number) => void,
): number {
  const durationMs = scaled(strength, lowMs, highMs);
  begin(durationMs);
  return durationMs;
}

/** Ends a fault that has begun after a time between two, by the plan's strength. @returns that time. Units: milliseconds */
export function endAfter(
  { cluster, strength }: Pick<FaultContext, "cluster" | "strength">,
  [lowMs, highMs]: readonly [number, number],
  end: () => void,
): number {
  const durationMs = scaled(strength, lowMs, highMs);
  cluster.timeline.after(durationMs, end);
  return durationMs;
}
