import type { SimCluster } from "../cluster/sim-cluster.js";
import { faultOf } from "../faults/catalogue.js";
import type { FaultContext } from "../faults/fault.js";
import type { Flow } from "../flows/flow.js";
import type { StepHit } from "../journal.js";
import { SeededRandom } from "../../support/seeded-random.js";
import type { Plan, PlannedFault } from "../plan/plan.js";
import type { Interception } from "../wires/interception.js";

interface Armed {
  readonly planned: PlannedFault;
  left: number;
}

/** Makes a plan's faults happen when their steps come. */
export class Injector {
  readonly #cluster: SimCluster;
  readonly #plan: Plan;
  readonly #flow: Flow;
  readonly #random: SeededRandom;
  #armed: Armed[];
  #endMs = 0;
  /** Faults that really happened. */
  readonly hits: PlannedFault[] = [];

  constructor(cluster: SimCluster, plan: Plan, flow: Flow) {
    this.#cluster = cluster;
    this.#plan = plan;
    this.#flow = flow;
    this.#random = new SeededRandom(plan.seed, "faults");
    this.#armed = plan.faults.map((planned) => ({ planned, left: planned.nth }));
  }

  /** When the last fault so far is over. Units: milliseconds since the start of the run */
  get endMs(): number {
    return this.#endMs;
  }

  onStep(hit: StepHit): Interception | undefined {
    let interception: Interception | undefined;
    for (const armed of [...this.#armed]) {
      const { step, phase } = armed.planned;
      if (step !== hit.step || phase !== hit.phase || --armed.left > 0) continue;
      this.#armed = this.#armed.filter((other) => other !== armed);
      interception = this.#fire(armed.planned, hit) ?? interception;
    }
    return interception;
  }

  #fire(planned: PlannedFault, hit: StepHit): Interception | undefined {
    const fault = faultOf(planned.fault);
    const { timeline } = this.#cluster;
    if (fault.intercept !== undefined) {
      this.#note(planned, 0);
      return fault.intercept(this.#context(planned, hit));
    }
    const begin = (): void => this.#note(planned, fault.begin?.(this.#context(planned, hit)) ?? 0);
    if (planned.afterMs === 0) begin();
    else timeline.after(planned.afterMs, begin);
    this.#endMs = Math.max(this.#endMs, timeline.nowMs + planned.afterMs);
    return undefined;
  }

  #note(planned: PlannedFault, durationMs: number): void {
    const { timeline, journal } = this.#cluster;
    this.hits.push(planned);
    this.#endMs = Math.max(this.#endMs, timeline.nowMs + durationMs);
    journal.add({
      type: "fault",
      fault: planned.fault,
      change: "begins",
      target: `${planned.step} ${planned.phase}, for ${durationMs.toFixed(0)} ms`,
    });
  }

  #context({ strength }: PlannedFault, hit: StepHit): FaultContext {
    const { nodes, controllers, processes } = this.#cluster;
    const process = processes.find(({ name }) => hit.actor.startsWith(`${name}#`));
    const node = nodes.find(({ agent }) => agent === process) ?? this.#random.pick(nodes);
    const controller = controllers.find((candidate) => candidate === process) ?? this.#random.pick(controllers);
    return {
      cluster: this.#cluster,
      flow: this.#flow,
      shape: this.#plan.shape,
      hit,
      strength,
      random: this.#random,
      node,
      process: process ?? node.agent,
      controller,
    };
  }
}
