import type { StepHit } from "../journal.js";

/** What happens to one request instead of its answer. */
export type Interception =
  /** The server refuses. */
  | { readonly type: "refuse"; readonly code: number; readonly reason: string; readonly retryAfterSeconds?: number }
  /** It never arrives: the connection breaks first. */
  | { readonly type: "drop" }
  /** It is done, and the connection breaks before the answer. */
  | { readonly type: "lose-reply" };

/** Is told of every step as it happens, and may interfere while it is still before. */
export type OnStep = (hit: StepHit) => Interception | undefined;
