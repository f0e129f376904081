import type { Pod } from "../../api/pod.js";
import type { UpdateWait, Waited, WaitingFor } from "../../core/in-place-update/types.js";
import type { Clock } from "../../lib/clock.js";
import type { Gauge, Metrics } from "../../lib/metrics.js";

const KINDS: readonly WaitingFor[] = ["grace", "image pull", "kubelet", "agent", "readiness", "unsupported"];

interface Waiting {
  readonly wait: UpdateWait;
  /** When this very wait was noted first. Units: milliseconds of the monotonic clock */
  readonly notedAtMs: number;
  /** What was reported since this wait began: what it waits for may go back and forth. */
  readonly told: ReadonlySet<string>;
}

/** Who waits for what at this moment, and for how long: feeds the metric, and keeps one wait from being told twice. */
export class WaitRegister {
  readonly #waiting = new Map<string, Waiting>();
  /** Kept up to date rather than counted: thousands of pods may wait, and each is noted again and again. */
  readonly #counts = new Map<WaitingFor, number>();
  readonly #gauge: Gauge;
  readonly #clock: Clock;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#gauge = metrics.gauge({
      name: "podmend_in_place_updates_waiting",
      help: "Pods in the middle of an in-place update, by what they wait for",
      labels: ["waiting_for"],
      zero: KINDS.map((kind) => ({ waiting_for: kind })),
    });
  }

  /** Notes a wait. @returns true if this very wait was reported before */
  note(pod: Pod, wait: UpdateWait, isReported: boolean): boolean {
    const uid = pod.metadata.uid ?? "";
    const before = this.#waiting.get(uid);
    const known = before?.wait.sinceMs === wait.sinceMs ? before : undefined;
    const told = new Set(known?.told);
    const wasTold = told.has(wait.message);
    if (isReported) told.add(wait.message);
    this.#waiting.set(uid, { wait, told, notedAtMs: known?.notedAtMs ?? this.#clock.monotonicMs() });
    this.#count(before?.wait.waitingFor, wait.waitingFor);
    return wasTold;
  }

  /** The wait that the pod was in when it was looked at last. */
  waited(pod: Pod): Waited | undefined {
    const waiting = this.#waiting.get(pod.metadata.uid ?? "");
    return waiting && { sinceMs: waiting.wait.sinceMs, forMs: this.#clock.monotonicMs() - waiting.notedAtMs };
  }

  /** The pod waits for nothing, or is gone. */
  settle(pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    const before = this.#waiting.get(uid);
    if (this.#waiting.delete(uid)) this.#count(before?.wait.waitingFor, undefined);
  }

  #count(before: WaitingFor | undefined, after: WaitingFor | undefined): void {
    if (before === after) return;
    for (const [kind, change] of [[before, -1] as const, [after, 1] as const]) {
      if (kind === undefined) continue;
      const count = (this.#counts.get(kind) ?? 0) + change;
      this.#counts.set(kind, count);
      this.#gauge.set(count, { waiting_for: kind });
    }
  }
}
