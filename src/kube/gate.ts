/** A door that opens once; whoever comes before waits. */
export class Gate {
  readonly #waiting = new Set<() => void>();
  #isOpen = false;

  isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Resolves when the gate is open; rejects with `signal.reason`. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) reject(signal.reason as Error);
      if (signal.aborted || this.#isOpen) {
        resolve();
        return;
      }
      const pass = (): void => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      const stop = (): void => {
        this.#waiting.delete(pass);
        reject(signal.reason as Error);
      };
      this.#waiting.add(pass);
      signal.addEventListener("abort", stop, { once: true });
    });
  }
}
