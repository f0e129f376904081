import type { Entry } from "./journal.js";
import { PULL_STATES } from "./rare/pull-states.js";
import { ROLLOUT_STATES } from "./rare/rollout-states.js";
import { STOP_STATES } from "./rare/stop-states.js";
import { type RareState, View } from "./rare/view.js";

/** States that few runs come to; a campaign that misses one of them has not looked there. */
export const RARE_STATES: readonly RareState[] = [...STOP_STATES, ...ROLLOUT_STATES, ...PULL_STATES];

/** The names of the rare states that a run came to. */
export function rareStates(entries: readonly Entry[]): readonly string[] {
  const view = new View(entries);
  return RARE_STATES.filter((state) => state.isIn(view)).map(({ name }) => name);
}
