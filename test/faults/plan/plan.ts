import type { Phase } from "../journal.js";

/** The size and shape of the cluster and of what runs in it. */
export interface Shape {
  readonly nodeCount: number;
  readonly podCount: number;
  readonly maxUnavailable: number;
  readonly graceSeconds: number;
  readonly hasPreStop: boolean;
  /** The workload has been through an update in place before the story begins: agents have told of its containers. */
  readonly isSeasoned: boolean;
  /** From each node to the API server, as for nodes far away. */
  readonly nodeDistanceMs: number;
  /** Clocks of nodes and controllers are minutes off, and drift. */
  readonly hasSkewedClocks: boolean;
}

/** One fault: at the `nth` time that a step is at a phase, plus a delay. */
export interface PlannedFault {
  readonly step: string;
  readonly phase: Phase;
  readonly nth: number;
  readonly afterMs: number;
  readonly fault: string;
  /** From 0 to 1: what the fault makes of it is its own affair (how long, whom). */
  readonly strength: number;
}

/** Everything that a run depends on; two runs of one plan are the same. */
export interface Plan {
  readonly seed: number;
  readonly flow: string;
  readonly shape: Shape;
  readonly faults: readonly PlannedFault[];
}
