import type { Violation } from "../invariants/invariant.js";
import type { Plan, PlannedFault } from "../plan/plan.js";

/** What a worker is asked: one plan, and whether its whole journal is wanted. */
export interface Order {
  readonly id: number;
  readonly plan: Plan;
  readonly wantsJournal: boolean;
}

/** What a worker answers. */
export interface Summary {
  readonly id: number;
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  readonly hits: readonly PlannedFault[];
  readonly rareStates: readonly string[];
  readonly convergedAfterMs: number;
  readonly eventCount: number;
  readonly traceHash: string;
  readonly lines?: readonly string[];
}
