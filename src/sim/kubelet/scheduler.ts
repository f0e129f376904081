import type { Pod } from "../../api/pod.js";
import { PODS } from "../../api/resources.js";
import type { Clock } from "../../lib/clock.js";
import type { Task } from "../../lib/tasks.js";
import type { ApiState } from "../api-server/api-state.js";
import { toTime } from "../api-server/object-rules.js";
import { addressOf, livePod } from "./live-pod.js";

export interface SchedulerOptions {
  readonly state: ApiState;
  readonly clock: Clock;
  readonly nodeNames: readonly string[];
}

const STRATEGIC = "application/strategic-merge-patch+json";
/** From a pod's creation to its binding. */
const DELAY_MS = 10;

/** A model of the scheduler: gives every pod without a node one, in turn. */
export class Scheduler implements Task {
  readonly name = "scheduler";
  readonly #options: SchedulerOptions;
  #turn = 0;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { state, clock } = this.#options;
    const unsubscribe = state.database.subscribe(({ kind, type, object }) => {
      if (type === "ADDED" && kind.plural === "pods") clock.schedule(DELAY_MS, () => this.#bind(object as unknown as Pod));
    });
    try {
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));
    } finally {
      unsubscribe();
    }
  }

  #bind(pod: Pod): void {
    const { state, clock, nodeNames } = this.#options;
    const address = addressOf(pod);
    const live = livePod(state, pod);
    const nodeName = nodeNames[this.#turn++ % nodeNames.length];
    if (live === undefined || live.spec.nodeName !== undefined || nodeName === undefined) return;
    state.patch(PODS, address, { contentType: STRATEGIC, body: { spec: { nodeName } } });
    const condition = { type: "PodScheduled", status: "True", lastTransitionTime: toTime(clock.nowMs()) };
    state.patch(PODS, address, { contentType: STRATEGIC, body: { status: { conditions: [condition] } }, subresource: "status" });
  }
}
