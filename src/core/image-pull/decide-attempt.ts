import type { PullLimits } from "./pull-limits.js";

/** How a pull went so far. */
export interface PullHistory {
  readonly limits: PullLimits;
  /** Attempts that failed. */
  readonly failures: number;
  /** Why the last of them failed. */
  readonly lastFailure?: string;
  /** Since the first attempt began, an earlier agent's included. */
  readonly elapsedMs: number;
}

export type AttemptDecision =
  | { readonly type: "attempt"; readonly timeoutMs: number }
  | { readonly type: "fail"; readonly message: string };

const RETRY_INITIAL_MS = 1_000;
const RETRY_MAX_MS = 30_000;

/** Says whether to try again and for how long at most, or to give up. Source: spec/node-agent.md 4.5. */
export function decideAttempt({ limits, failures, lastFailure, elapsedMs }: PullHistory): AttemptDecision {
  const remainingMs = (limits.activeDeadlineMs ?? Number.POSITIVE_INFINITY) - elapsedMs;
  if (failures >= limits.attempts) return { type: "fail", message: lastFailure ?? "pulling failed" };
  if (remainingMs > 0) return { type: "attempt", timeoutMs: Math.min(limits.timeoutMs, remainingMs) };
  const cause = lastFailure === undefined ? "" : `; the last attempt failed: ${lastFailure}`;
  return { type: "fail", message: `pulling exceeds the activeDeadlineSeconds${cause}` };
}

/** The pause after the last of `failures` failed attempts: 1, 2, 4 … 30 s, but never past the deadline. Units: milliseconds. */
export function retryDelayMs({ limits, failures, elapsedMs }: PullHistory): number {
  const delayMs = Math.min(RETRY_MAX_MS, RETRY_INITIAL_MS * 2 ** Math.min(10, Math.max(0, failures - 1)));
  return Math.max(0, Math.min(delayMs, (limits.activeDeadlineMs ?? Number.POSITIVE_INFINITY) - elapsedMs));
}
