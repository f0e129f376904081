/** Pulls side by side on one node when nobody says otherwise. */
export const DEFAULT_PARALLEL_PULLS = 5;

/** The limit on parallel pulls: places that are handed out in the order in which they were asked for. */
export class PullSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** @param limit 0 or less, or absent: `DEFAULT_PARALLEL_PULLS` */
  constructor(limit: number | undefined) {
    this.#free = limit === undefined || limit <= 0 ? DEFAULT_PARALLEL_PULLS : limit;
  }

  /** Waits for a place; call the result once to give it back. Rejects with `signal.reason`, taking no place. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    return () => this.#giveBack();
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(take);
        reject(signal.reason as Error);
      };
      this.#waiting.add(take);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #giveBack(): void {
    for (const take of this.#waiting) {
      this.#waiting.delete(take);
      take();
      return;
    }
    this.#free++;
  }
}
