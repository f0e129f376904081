import type { ImagePullJob, ImagePullJobStatus } from "../../api/image-pull-job.js";
import { createMergePatch } from "../values/merge-patch.js";

export type JobWriteDecision =
  | { readonly type: "none" }
  | { readonly type: "wait"; readonly delayMs: number }
  | { readonly type: "write"; readonly status: unknown };

/** A job's status follows its nodes at most this often. */
const MIN_SPACING_MS = 1_000;

/**
 * Says whether to write a job's status now: its start and its end at once, steps between them at most once a second.
 * @param pace monotonic milliseconds; `lastWriteMs` undefined: this process never wrote it
 */
export function decideJobWrite(
  job: ImagePullJob,
  wanted: ImagePullJobStatus,
  pace: { readonly nowMs: number; readonly lastWriteMs: number | undefined },
): JobWriteDecision {
  const patch = createMergePatch(job.status ?? {}, wanted) as Readonly<Record<string, unknown>>;
  if (Object.keys(patch).length === 0) return { type: "none" };
  const waitMs = (pace.lastWriteMs ?? Number.NEGATIVE_INFINITY) + MIN_SPACING_MS - pace.nowMs;
  const isUrgent = patch["startTime"] !== undefined || patch["completionTime"] !== undefined;
  if (waitMs > 0 && !isUrgent) return { type: "wait", delayMs: waitMs };
  // `desired` is required by the schema: an absent status cannot be patched without it.
  return { type: "write", status: { ...patch, desired: wanted.desired } };
}
