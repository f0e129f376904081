import type { TagPullPolicy } from "../../api/node-image.js";

/** How hard a node tries to pull one image. */
export interface PullLimits {
  /** At least 1. */
  readonly attempts: number;
  /** Of one attempt. */
  readonly timeoutMs: number;
  /** Of all attempts together, from the start of the first; absent: no limit. */
  readonly activeDeadlineMs?: number;
}

const DEFAULT_TIMEOUT_SECONDS = 600;
const DEFAULT_BACKOFF_LIMIT = 3;

/** The limits that a tag's pull policy means; absent and senseless values become the defaults. Source: spec/node-agent.md 4.1, 4.5. */
export function pullLimits(policy: TagPullPolicy | undefined): PullLimits {
  const { timeoutSeconds, backoffLimit, activeDeadlineSeconds } = policy ?? {};
  const retries = backoffLimit !== undefined && backoffLimit >= 0 ? backoffLimit : DEFAULT_BACKOFF_LIMIT;
  const seconds = timeoutSeconds !== undefined && timeoutSeconds > 0 ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS;
  return {
    attempts: retries + 1,
    timeoutMs: seconds * 1000,
    ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineMs: activeDeadlineSeconds * 1000 }),
  };
}
