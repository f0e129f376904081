import type { NodeImage, NodeImageStatus } from "../../api/node-image.js";
import { createMergePatch } from "../values/merge-patch.js";
import { tagsOf } from "./wanted-pulls.js";

/** What the agent knows about its own writes. Units: monotonic milliseconds. */
export interface WritePace {
  readonly nowMs: number;
  readonly lastWriteMs: number | undefined;
  /** Since when the wanted status differs from the stored one. */
  readonly differsSinceMs: number | undefined;
}

export type StatusWriteDecision =
  | { readonly type: "none" }
  | { readonly type: "wait"; readonly delayMs: number }
  | { readonly type: "write"; readonly body: { readonly status: unknown } };

/** A node's status is written at most ten times a second. */
const MIN_SPACING_MS = 100;
/** Waiting and Pulling are told this late, so that a pull that ends sooner costs one write, and its end never waits for their write. */
const PROGRESS_DELAY_MS = 200;

/**
 * Says whether to write the status now, later or not at all. The end of a pull goes out at once, everything else may wait a little.
 * The patch names only what differs.
 */
export function decideStatusWrite(nodeImage: NodeImage, wanted: NodeImageStatus, pace: WritePace): StatusWriteDecision {
  const patch = createMergePatch(nodeImage.status ?? {}, wanted);
  if (Object.keys(patch as object).length === 0) return { type: "none" };
  const { nowMs, lastWriteMs = Number.NEGATIVE_INFINITY, differsSinceMs = nowMs } = pace;
  const patienceMs = hasNewEnd(nodeImage, wanted) ? 0 : PROGRESS_DELAY_MS;
  const dueMs = Math.max(lastWriteMs + MIN_SPACING_MS, differsSinceMs + patienceMs);
  if (dueMs > nowMs) return { type: "wait", delayMs: dueMs - nowMs };
  // `desired` is required by the schema: an absent status cannot be patched without it.
  return { type: "write", body: { status: { ...(patch as object), desired: wanted.desired } } };
}

function hasNewEnd(nodeImage: NodeImage, wanted: NodeImageStatus): boolean {
  return tagsOf(nodeImage).some(({ image, spec }) => {
    const find = (status: NodeImageStatus | undefined) => status?.imageStatuses?.[image]?.tags.find(({ tag }) => tag === spec.tag);
    const [before, after] = [find(nodeImage.status), find(wanted)];
    if (after?.completionTime === undefined) return false;
    return before?.completionTime === undefined || (before.version ?? 0) !== (after.version ?? 0);
  });
}
