import { converges } from "./converges.js";
import { earlyFlipIsTrue } from "./early-flip-is-true.js";
import { earlyFlipOutOfService } from "./early-flip-out-of-service.js";
import { eventsOnce } from "./events-once.js";
import { foreignFieldsStay } from "./foreign-fields-stay.js";
import type { Invariant } from "./invariant.js";
import { noBreaks } from "./no-breaks.js";
import { noNeedlessStop } from "./no-needless-stop.js";
import { noValuesLeak } from "./no-values-leak.js";
import { oneLeader } from "./one-leader.js";
import { podsSurvive } from "./pods-survive.js";
import { preStopOnce } from "./pre-stop-once.js";
import { pullsOnce } from "./pulls-once.js";
import { quietAtRest } from "./quiet-at-rest.js";
import { restartsBounded } from "./restarts-bounded.js";
import { stopsAreRequested } from "./stops-are-requested.js";
import { stopsOnce } from "./stops-once.js";
import { withinMaxUnavailable } from "./within-max-unavailable.js";

/** Everything that must hold. */
export const INVARIANTS: readonly Invariant[] = [
  converges,
  stopsAreRequested,
  stopsOnce,
  noNeedlessStop,
  podsSurvive,
  withinMaxUnavailable,
  foreignFieldsStay,
  eventsOnce,
  preStopOnce,
  quietAtRest,
  noBreaks,
  noValuesLeak,
  pullsOnce,
  restartsBounded,
  earlyFlipIsTrue,
  earlyFlipOutOfService,
  oneLeader,
];
