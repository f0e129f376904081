import type { CancelTimer, Clock } from "../../src/lib/clock.js";

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

/** A clock that moves only when told. Pending promises run before and after each timer. */
export class FakeClock implements Clock {
  #nowMs: number;
  readonly #startMs: number;
  readonly #timers = new Set<Timer>();

  constructor(startMs = Date.parse("2026-01-02T03:04:05Z")) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs - this.#startMs;
  }

  schedule(delayMs: number, callback: () => void): CancelTimer {
    const timer: Timer = { atMs: this.#nowMs + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        cancel();
        reject(signal.reason as Error);
      };
      const cancel = this.schedule(delayMs, () => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  }

  /** Moves time forward, firing what is due in order; lets pending code run before, between and after. */
  async advance(byMs: number): Promise<void> {
    const endMs = this.#nowMs + byMs;
    await settle();
    for (let due = this.#nextDue(endMs); due !== undefined; due = this.#nextDue(endMs)) {
      this.#timers.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
      await settle();
    }
    this.#nowMs = endMs;
    await settle();
  }

  #nextDue(endMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.atMs <= endMs && (next === undefined || timer.atMs < next.atMs)) next = timer;
    return next;
  }
}

/** A clock that is a little later at each reading, as every real one: what was not over at the first may be at the second. */
export class TickingClock extends FakeClock {
  readonly #tickMs: number;
  #aheadMs = 0;

  constructor(tickMs: number) {
    super();
    this.#tickMs = tickMs;
  }

  override nowMs(): number {
    return super.nowMs() + this.#tick();
  }

  override monotonicMs(): number {
    return super.monotonicMs() + this.#tick();
  }

  #tick(): number {
    return (this.#aheadMs += this.#tickMs);
  }
}

/** Lets everything that is already due run: promise chains and immediates. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
