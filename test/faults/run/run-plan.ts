import { createHash } from "node:crypto";
import { SimCluster } from "../cluster/sim-cluster.js";
import { flowOf } from "../flows/catalogue.js";
import type { Flow } from "../flows/flow.js";
import { INVARIANTS } from "../invariants/catalogue.js";
import type { Violation } from "../invariants/invariant.js";
import { type Entry, lineOf } from "../journal.js";
import type { Plan, PlannedFault } from "../plan/plan.js";
import { Injector } from "./injector.js";

/** What became of one plan. */
export interface Outcome {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  readonly hits: readonly PlannedFault[];
  /** From the end of the last fault to the end of the story. Units: milliseconds */
  readonly convergedAfterMs: number;
  readonly eventCount: number;
  readonly traceHash: string;
  readonly entries: readonly Entry[];
}

const PREPARED_BY_MS = 60_000;
const BASE_MS = 30_000;
/** A leader that is gone is noticed when its Lease runs out; a connection that fell silent counts as a fault until it is noticed. */
const REELECTION_MS = 15_000;
const FIRST_BACK_OFF_MS = 10_000;
const MAX_BACK_OFF_MS = 300_000;
/** Finished requests are swept a minute after a leader has begun, which may take a quarter more; after that nothing is left to write. */
const SWEEP_MS = 110_000;
const REST_MS = 20_000;
/** What the last step has set off. */
const AFTERMATH_MS = 5_000;
/** One run of so many is watched at rest: it is long, and little happens. */
const RESTING = 10;

/** Runs one plan from an empty cluster to its end. `settle` resolves when no microtask is left. */
export async function runPlan(plan: Plan, settle: () => Promise<void>): Promise<Outcome> {
  const flow = flowOf(plan.flow);
  const cluster = new SimCluster({ seed: plan.seed, ...plan.shape });
  const stopping = new AbortController();
  const injector = new Injector(cluster, plan, flow);
  const story = new Story(cluster, { plan, flow, injector, settle });
  cluster.start(stopping.signal);
  const convergedAfterMs = await story.tell();
  const { entries } = cluster.journal;
  for (const process of cluster.processes) process.holdDown();
  const outcome = {
    plan,
    violations: INVARIANTS.flatMap((invariant) => invariant.check(entries, plan)),
    hits: injector.hits,
    convergedAfterMs,
    eventCount: cluster.timeline.executed,
    traceHash: hashOf(entries),
    entries,
  };
  stopping.abort(new Error("the run is over"));
  for (const process of cluster.processes) process.discard();
  for (const node of cluster.nodes) node.stopKubelet();
  await settle();
  return outcome;
}

interface StoryOptions {
  readonly plan: Plan;
  readonly flow: Flow;
  readonly injector: Injector;
  readonly settle: () => Promise<void>;
}

/** Prepare, edit, disturb, converge, rest. */
class Story {
  readonly #cluster: SimCluster;
  readonly #options: StoryOptions;

  constructor(cluster: SimCluster, options: StoryOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  async tell(): Promise<number> {
    const { plan, flow, injector } = this.#options;
    const { timeline, journal } = this.#cluster;
    if (!(await this.#prepare())) return this.#end(["not even prepared", ...this.#problems()]);
    this.#cluster.onStep = (hit) => injector.onStep(hit);
    flow.edit(this.#cluster, { shape: plan.shape, version: 1 });
    do {
      await this.#converged(this.#deadlineMs(), () => timeline.nowMs >= injector.endMs);
    } while (this.#problems().length > 0 && timeline.nowMs < this.#deadlineMs());
    const convergedAfterMs = timeline.nowMs - injector.endMs;
    const problems = this.#problems();
    if (problems.length > 0) return this.#end(problems);
    this.#cluster.onStep = () => undefined;
    await this.#pass(AFTERMATH_MS);
    // A process that slept may have done late what it had decided upon before: that comes to an end like everything else.
    if (this.#problems().length > 0) await this.#converged(this.#deadlineMs());
    if (plan.seed % RESTING === 0) {
      await this.#pass(SWEEP_MS);
      journal.add({ type: "rest" });
      await this.#pass(REST_MS);
    }
    this.#end(this.#problems());
    return convergedAfterMs;
  }

  async #prepare(): Promise<boolean> {
    const { flow, plan } = this.#options;
    const { shape } = plan;
    const first = shape.isSeasoned ? (flow.seasonsFrom ?? 0) : 0;
    flow.prepare(this.#cluster, { shape, version: first });
    if (!(await this.#converged(PREPARED_BY_MS))) return false;
    if (first === 0) return true;
    flow.edit(this.#cluster, { shape, version: 0 });
    return this.#converged(this.#cluster.timeline.nowMs + PREPARED_BY_MS);
  }

  /** Half a minute after the last fault, and whatever is in force then that nobody may shorten. */
  #deadlineMs(): number {
    const { plan, flow, injector } = this.#options;
    return injector.endMs + BASE_MS + REELECTION_MS + flow.allowanceMs(plan.shape) + this.#backOffMs();
  }

  /** The kubelet's longest delay between two starts of a container. */
  #backOffMs(): number {
    const restarts = this.#cluster.nodes.flatMap(({ world }) => world.containers.list().map(({ attempt }) => attempt));
    return Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** Math.max(0, ...restarts));
  }

  #end(problems: readonly string[]): number {
    this.#cluster.journal.add({ type: "verdict", problems });
    return Number.POSITIVE_INFINITY;
  }

  #problems(): readonly string[] {
    const { flow, plan } = this.#options;
    return flow.problems(this.#cluster, plan.shape);
  }

  async #converged(untilMs: number, mayEnd: () => boolean = () => true): Promise<boolean> {
    const { database } = this.#cluster.state;
    let seen = -1;
    let isConverged = false;
    await this.#cluster.timeline.runUntil(untilMs, this.#options.settle, () => {
      if (database.revision() !== seen) {
        seen = database.revision();
        isConverged = this.#problems().length === 0;
      }
      return isConverged && mayEnd();
    });
    return isConverged;
  }

  #pass(durationMs: number): Promise<void> {
    const { timeline } = this.#cluster;
    return timeline.runUntil(timeline.nowMs + durationMs, this.#options.settle);
  }
}

function hashOf(entries: readonly Entry[]): string {
  const hash = createHash("sha256");
  for (const entry of entries) hash.update(`${lineOf(entry)}\n`);
  return hash.digest("hex").slice(0, 16);
}
