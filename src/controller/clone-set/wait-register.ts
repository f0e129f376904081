import type { Pod } from "../../api/pod.js";
import type { UpdateWait, WaitingFor } from "../../core/in-place-update/types.js";
import type { Gauge, Metrics } from "../../lib/metrics.js";

const KINDS: readonly WaitingFor[] = ["grace", "image pull", "kubelet", "agent", "readiness", "unsupported"];

/** Who waits for what at this moment: feeds the metric, and keeps one wait from being told twice. */
export class WaitRegister {
  readonly #waiting = new Map<string, { readonly wait: UpdateWait; readonly isReported: boolean }>();
  readonly #gauge: Gauge;

  constructor(metrics: Metrics) {
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
    const isSame = before?.wait.sinceMs === wait.sinceMs && before.wait.message === wait.message;
    this.#waiting.set(uid, { wait, isReported: isReported || (isSame && before.isReported) });
    this.#publish();
    return isSame && before.isReported;
  }

  /** The pod waits for nothing, or is gone. */
  settle(pod: Pod): void {
    if (this.#waiting.delete(pod.metadata.uid ?? "")) this.#publish();
  }

  #publish(): void {
    const all = [...this.#waiting.values()];
    for (const kind of KINDS) this.#gauge.set(all.filter(({ wait }) => wait.waitingFor === kind).length, { waiting_for: kind });
  }
}
