import type { Clock } from "../../lib/clock.js";

/** A container that a stop has reached ends within its grace, and this much more where the machine is slow. */
const AFTERMATH_MS = 15_000;

/**
 * Remembers for which instances the runtime was asked to stop them: that may take effect after the call has failed, or was cancelled. Such an
 * instance proves nothing while it still runs. Forgotten in a crash, like everything here.
 */
export class CalledStops {
  readonly #clock: Clock;
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call before each stop call. */
  note(instanceId: string, graceSeconds: number): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [id, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(id);
    this.#untilMs.set(instanceId, nowMs + graceSeconds * 1000 + AFTERMATH_MS);
  }

  mayTakeEffect(instanceId: string): boolean {
    return (this.#untilMs.get(instanceId) ?? Number.NEGATIVE_INFINITY) > this.#clock.monotonicMs();
  }
}
