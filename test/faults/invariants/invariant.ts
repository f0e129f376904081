import type { Entry } from "../journal.js";
import type { Plan } from "../plan/plan.js";

/** One way in which a run went wrong. */
export interface Violation {
  readonly invariant: string;
  readonly atMs: number;
  readonly message: string;
}

/** Something that must hold in every run, decided from its journal alone. */
export interface Invariant {
  readonly name: string;
  check(entries: readonly Entry[], plan: Plan): readonly Violation[];
}
