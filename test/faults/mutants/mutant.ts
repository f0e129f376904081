import type { SourceChange } from "../run/bundle.js";

/** One way to break the product that the runner must notice. */
export interface Mutant {
  readonly name: string;
  /** What it breaks, in words of design.md. */
  readonly breaks: string;
  /** Several where the product guards a rule more than once. */
  readonly changes: readonly SourceChange[];
}
