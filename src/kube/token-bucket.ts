import type { Clock } from "../lib/clock.js";

export interface TokenBucketOptions {
  /** How fast tokens come back. Negative: no limit. */
  readonly perSecond: number;
  /** How many may be taken at once after a quiet time. */
  readonly burst: number;
  readonly clock: Clock;
}

/** Limits a rate, first come first served. */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  #tokens: number;
  #updatedMs: number;

  constructor(options: TokenBucketOptions) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#updatedMs = options.clock.monotonicMs();
  }

  /** Takes a token that may only come later. @returns how long to wait before using it, in milliseconds */
  reserveMs(): number {
    const { perSecond } = this.#options;
    if (perSecond < 0) return 0;
    this.#refill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / perSecond;
  }

  /** Takes a token if one is there now. */
  tryTake(): boolean {
    if (this.#options.perSecond < 0) return true;
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token, waiting for it. */
  async take(signal: AbortSignal): Promise<void> {
    const delayMs = this.reserveMs();
    if (delayMs > 0) await this.#options.clock.sleep(delayMs, signal);
  }

  #refill(): void {
    const { perSecond, burst, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#updatedMs) * perSecond) / 1000);
    this.#updatedMs = nowMs;
  }
}
