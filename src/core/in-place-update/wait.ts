import { decideRefresh, type RefreshOptions } from "./refresh.js";
import type { UpdateWait } from "./types.js";

/**
 * What an unfinished update of the pod waits for, since when, for conditions, events and metrics.
 * @returns undefined when no update is in progress, or when the next step can be taken at once
 */
export function describeWait(options: RefreshOptions): UpdateWait | undefined {
  const decision = decideRefresh(options);
  return decision.type === "wait" ? decision.wait : undefined;
}
