import { NODES } from "../../../src/api/resources.js";
import { createController } from "../../../src/cli/controller-tasks.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { ApiFront } from "../../../src/sim/api-server/api-front.js";
import { ApiState } from "../../../src/sim/api-server/api-state.js";
import { Scheduler } from "../../../src/sim/kubelet/scheduler.js";
import { Journal } from "../journal.js";
import { type ClockError, hostClock, skewedClock, trueClock } from "../machine/host-clock.js";
import { SeededRandom } from "../../support/seeded-random.js";
import { Timeline } from "../machine/timeline.js";
import type { ApiEndpoint } from "../wires/api-wire.js";
import type { Interception, OnStep } from "../wires/interception.js";
import { Link } from "../wires/link.js";
import type { StepHit } from "../journal.js";
import { allGates } from "./gates.js";
import { ProcessHost } from "./process-host.js";
import { SimNode } from "./sim-node.js";

export interface SimClusterOptions {
  readonly seed: number;
  readonly nodeCount: number;
  /** Whether the clocks of nodes and controllers are wrong. */
  readonly hasSkewedClocks: boolean;
  /** From each node to the API server. Units: milliseconds */
  readonly nodeDistanceMs: number;
}

const CONTROLLER_COUNT = 2;
const BOOKMARK_PERIOD_MS = 60_000;

/** A whole cluster under virtual time: models of API server, scheduler and nodes, and our real controllers and agents. */
export class SimCluster {
  readonly seed: number;
  readonly timeline = new Timeline();
  readonly journal = new Journal(this.timeline);
  readonly state: ApiState;
  readonly front: ApiFront;
  readonly nodes: readonly SimNode[];
  readonly controllers: readonly ProcessHost[];
  /** The API server's clock. */
  readonly clockError: ClockError = trueClock();
  readonly #endpoint: { isUp: boolean; readonly front: ApiFront };
  /** Told of every step; the injector puts itself here. */
  onStep: OnStep = () => undefined;
  readonly #standing = new Set<{ readonly step: string; readonly refusal: Interception }>();
  #token = 1;

  constructor(options: SimClusterOptions) {
    const { seed, nodeCount } = options;
    this.seed = seed;
    const clock = hostClock(this.timeline, this.clockError);
    this.state = new ApiState({ clock, random: new SeededRandom(seed, "api-server") });
    this.front = new ApiFront({ state: this.state, bookmarkPeriodMs: BOOKMARK_PERIOD_MS, token: () => this.token });
    this.#endpoint = { isUp: true, front: this.front };
    this.state.database.subscribe(({ revision, kind, type, object }) => {
      this.journal.add({ type: "object", revision, plural: kind.plural, change: type, object });
    });
    this.nodes = Array.from({ length: nodeCount }, (_, index) => this.#node(`node-${String(index + 1)}`, options));
    this.controllers = Array.from({ length: CONTROLLER_COUNT }, (_, index) => this.#controller(`controller-${String(index + 1)}`, options));
  }

  get endpoint(): ApiEndpoint {
    return this.#endpoint;
  }

  /** The token that the API server accepts, and that the files hold. */
  get token(): string {
    return `token-${String(this.#token)}`;
  }

  rotateToken(): void {
    this.#token++;
  }

  get processes(): readonly ProcessHost[] {
    return [...this.nodes.map(({ agent }) => agent), ...this.controllers];
  }

  /** Takes the API server away for a while, and every connection with it. @returns how long */
  restartApiServer(downMs: number): number {
    this.#endpoint.isUp = false;
    for (const { link } of this.processes) link.cut("the connection was reset");
    this.front.pager.expire();
    this.timeline.after(downMs, () => (this.#endpoint.isUp = true));
    return downMs;
  }

  /** Refuses every request of a step until the returned function is called. */
  refuse(step: string, refusal: Interception): () => void {
    const standing = { step, refusal };
    this.#standing.add(standing);
    return () => void this.#standing.delete(standing);
  }

  /** Registers the nodes and starts everything. */
  start(signal: AbortSignal): void {
    for (const { name } of this.nodes) this.registerNode(name);
    const scheduler = new Scheduler({ state: this.state, clock: this.state.clock, nodeNames: this.nodes.map(({ name }) => name) });
    scheduler.run(signal).catch(() => undefined); // ends with the run
    for (const node of this.nodes) node.start();
    for (const controller of this.controllers) controller.start();
  }

  registerNode(name: string): void {
    this.state.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name } });
    const condition = { type: "Ready", status: "True", reason: "KubeletReady" };
    const body = { status: { conditions: [condition] } };
    this.state.patch(NODES, { name }, { contentType: "application/merge-patch+json", body, subresource: "status" });
  }

  #step(hit: StepHit): Interception | undefined {
    this.journal.add({ type: "step", ...hit });
    const planned = this.onStep(hit);
    if (planned !== undefined || hit.phase !== "before") return planned;
    return [...this.#standing].find(({ step }) => step === hit.step)?.refusal;
  }

  #node(name: string, { hasSkewedClocks, nodeDistanceMs }: SimClusterOptions): SimNode {
    return new SimNode({
      name,
      isSkewed: hasSkewedClocks,
      distanceMs: nodeDistanceMs,
      seed: this.seed,
      timeline: this.timeline,
      journal: this.journal,
      state: this.state,
      endpoint: () => this.#endpoint,
      token: () => this.token,
      onStep: (hit) => this.#step(hit),
    });
  }

  #controller(name: string, { hasSkewedClocks }: SimClusterOptions): ProcessHost {
    return new ProcessHost({
      name,
      component: "controller",
      seed: this.seed,
      timeline: this.timeline,
      journal: this.journal,
      clockError: hasSkewedClocks ? skewedClock(new SeededRandom(this.seed, `${name}/clock`)) : trueClock(),
      link: new Link(),
      endpoint: () => this.#endpoint,
      token: () => this.token,
      onStep: (hit) => this.#step(hit),
      tasks({ incarnation, client, clock, random, logger }) {
        const common = { client, clock, random, logger, gates: allGates, metrics: silentMetrics };
        return [createController({ ...common, identity: incarnation.name, namespace: "podmend-system", mustLead: true }).task];
      },
    });
  }
}
