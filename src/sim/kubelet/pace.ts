import type { Clock } from "../../lib/clock.js";

/** How fast a kubelet gets on; change it at any time. It affects what begins afterwards. */
export class Pace {
  /** Before each look at the runtime and each thing done for a pod; 0: as usual. */
  delayMs = 0;
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #isPaused = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** As SIGSTOP: nothing more begins. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Resolves when the next thing may begin. */
  async step(signal: AbortSignal): Promise<void> {
    while (this.#isPaused) await this.#resumed(signal);
    if (this.delayMs > 0) await this.#clock.sleep(this.delayMs, signal);
  }

  #resumed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stop = (): void => {
        this.#waiting.delete(wake);
        reject(signal.reason as Error);
      };
      const wake = (): void => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      signal.addEventListener("abort", stop, { once: true });
      this.#waiting.add(wake);
    });
  }
}
