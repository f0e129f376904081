import type { CancelTimer, Clock } from "../../lib/clock.js";

/** Rings once at the earliest of the times asked for, but not before a hold has passed. For one sleeper. */
export class Alarm {
  readonly #clock: Clock;
  #atMs = Number.POSITIVE_INFINITY;
  #notBeforeMs = 0;
  #cancel: CancelTimer = () => undefined;
  #wake: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  setNoLaterThan(delayMs: number): void {
    this.#atMs = Math.min(this.#atMs, this.#clock.monotonicMs() + delayMs);
    this.#arm();
  }

  /** Whatever was or will be asked for rings no earlier than this. */
  holdFor(delayMs: number): void {
    this.#notBeforeMs = this.#clock.monotonicMs() + delayMs;
  }

  /** Resolves when the alarm rings, and clears it; rejects with the signal's reason. */
  async ring(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        this.#cancel();
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", stop, { once: true });
      this.#wake = () => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      this.#arm();
    });
    this.#wake = () => undefined;
    this.#atMs = Number.POSITIVE_INFINITY;
  }

  #arm(): void {
    this.#cancel();
    if (!Number.isFinite(this.#atMs)) return;
    const delayMs = Math.max(this.#atMs, this.#notBeforeMs) - this.#clock.monotonicMs();
    this.#cancel = this.#clock.schedule(Math.max(0, delayMs), () => this.#wake());
  }
}
