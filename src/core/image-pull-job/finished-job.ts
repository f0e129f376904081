import type { ImagePullJob } from "../../api/image-pull-job.js";
import { parseTimestampMs } from "../values/timestamps.js";

/**
 * How long a finished job is still kept.
 * @returns milliseconds, 0 when it is due; undefined when the job is not finished or has no time to live
 */
export function keepForMs(job: ImagePullJob, nowMs: number): number | undefined {
  const ttlSeconds = job.spec.completionPolicy?.ttlSecondsAfterFinished;
  const completedMs = parseTimestampMs(job.status?.completionTime ?? "");
  if (ttlSeconds === undefined || completedMs === undefined) return undefined;
  return Math.max(0, completedMs + ttlSeconds * 1000 - nowMs);
}
