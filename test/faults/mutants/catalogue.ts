import type { Mutant } from "./mutant.js";

/** Every way that is tried. */
export const MUTANTS: readonly Mutant[] = [];
