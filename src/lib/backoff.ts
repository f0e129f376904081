import type { Random } from "./random.js";

/** Shape of an exponential back-off. */
export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  /** Growth per failure, default 2. */
  readonly factor?: number;
  /** Part of the delay that is random, 0 to 1, default 0: a delay of 1000 ms with 0.2 becomes 1000 to 1200 ms. */
  readonly jitter?: number;
}

/** The delay after the `failures`-th failure in a row (1 = the first). Units: milliseconds. */
export function backoffDelayMs(options: BackoffOptions, failures: number, random: Random): number {
  const { initialMs, maxMs, factor = 2, jitter = 0 } = options;
  const plainMs = Math.min(maxMs, initialMs * factor ** Math.max(0, failures - 1));
  return Math.min(maxMs, plainMs * (1 + jitter * random.next()));
}
