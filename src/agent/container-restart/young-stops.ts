import type { Clock } from "../../lib/clock.js";

/** A stop that takes longer waits for its container, not for the machine. */
const YOUNG_MS = 2_000;

/** Bounds how many stops begin at once: the runtime gains nothing from more, and long graces must not hold others up. */
export class YoungStops {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #queue: (() => void)[] = [];
  #young = 0;

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Runs `stop` as soon as there is room; it counts until it ends or is no longer young. */
  async run<T>(stop: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#young < this.#limit) this.#young++;
    else await this.#turn(signal);
    let isIn = true;
    const leave = (): void => {
      if (isIn) this.#passOn();
      isIn = false;
    };
    const cancel = this.#clock.schedule(YOUNG_MS, leave);
    try {
      signal.throwIfAborted();
      return await stop();
    } finally {
      cancel();
      leave();
    }
  }

  #passOn(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#young--;
    else next();
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      const stop = (): void => {
        const index = this.#queue.indexOf(enter);
        if (index >= 0) this.#queue.splice(index, 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", stop, { once: true });
      this.#queue.push(enter);
    });
  }
}
