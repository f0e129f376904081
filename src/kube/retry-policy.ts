import { backoffDelayMs } from "../lib/backoff.js";
import type { Random } from "../lib/random.js";
import type { WireFailure } from "./wire.js";

/** How one try of a request ended badly. */
export type FailedTry =
  | { readonly type: "refusal"; readonly code: number; readonly retryAfterMs: number | undefined }
  | { readonly type: "wire"; readonly failure: WireFailure };

export interface RetryQuestion {
  readonly failed: FailedTry;
  /** True if sending the request twice does no harm. */
  readonly isRepeatable: boolean;
  /** Tries that failed so far, this one included. */
  readonly failures: number;
  readonly random: Random;
}

const MAX_TRIES = 5;
const BACKOFF = { initialMs: 200, maxMs: 3_000, jitter: 0.3 };

/**
 * How long to wait before the same request is sent again, or undefined if it should fail. Units: milliseconds.
 *
 * A request that the server turned away before looking at it (429, or any 5xx with Retry-After, or no connection) may always be sent again.
 */
export function retryDelayMs(question: RetryQuestion): number | undefined {
  const { failed, isRepeatable, failures, random } = question;
  if (failures >= MAX_TRIES) return undefined;
  const backoffMs = backoffDelayMs(BACKOFF, failures, random);
  if (failed.type === "wire") return failed.failure !== "broken" || isRepeatable ? backoffMs : undefined;
  const { code, retryAfterMs } = failed;
  if (code !== 429 && code < 500) return undefined;
  if (retryAfterMs !== undefined) return Math.max(retryAfterMs, backoffMs);
  return code === 429 || isRepeatable ? backoffMs : undefined;
}

/**
 * What a Retry-After header asks for: seconds or an HTTP date. Undefined if absent or malformed. Units: milliseconds.
 */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const untilMs = Date.parse(header);
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - nowMs);
}
