import { AGENT_MUTANTS } from "./agent-mutants.js";
import { CONTROLLER_MUTANTS } from "./controller-mutants.js";
import { DESIGN_MUTANTS } from "./design-mutants.js";
import { FOUNDATION_MUTANTS } from "./foundation-mutants.js";
import type { Mutant } from "./mutant.js";

/** Every way that is tried. */
export const MUTANTS: readonly Mutant[] = [...AGENT_MUTANTS, ...CONTROLLER_MUTANTS, ...FOUNDATION_MUTANTS, ...DESIGN_MUTANTS];
