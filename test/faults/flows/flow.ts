import type { SimCluster } from "../cluster/sim-cluster.js";
import type { Shape } from "../plan/plan.js";

/** A user's change: which of the flow's many templates is wanted from now on. */
export interface Edit {
  readonly shape: Shape;
  /** 0 is the one that everything began with. */
  readonly version: number;
}

/** One thing that the product does from a user's wish to its end, for plans to disturb. */
export interface Flow {
  readonly name: string;
  /** Where faults may be put (wires/steps.ts). */
  readonly steps: readonly string[];
  /** The only faults that it is about; default: all that can happen to it. */
  readonly faults?: readonly string[];
  /** Whether the container has a preStop in each of its plans; default: in some. */
  readonly hasPreStop?: boolean;
  /** The version that a seasoned workload was created with, before version 0; 0: what is old about it is not the version. */
  readonly seasonsFrom?: number;
  /** Publishes images and creates what is there before the story begins. */
  prepare(cluster: SimCluster, first: Edit): void;
  /** The user's wish; also what a user who changes their mind does again. */
  edit(cluster: SimCluster, edit: Edit): void;
  /** What is not yet as the wish says; empty when all is done. */
  problems(cluster: SimCluster, shape: Shape): readonly string[];
  /** What the wish takes without any fault, from where it may still be at its very beginning. Units: milliseconds */
  allowanceMs(shape: Shape): number;
}
