import { createAgent } from "../../../src/cli/agent-tasks.js";
import { openCriRuntime } from "../../../src/cri/grpc-runtime.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import type { Task } from "../../../src/lib/tasks.js";
import type { ApiState } from "../../../src/sim/api-server/api-state.js";
import { Kubelet } from "../../../src/sim/kubelet/kubelet.js";
import { createNodeApi, type NodeConnection } from "../../../src/sim/kubelet/node-api.js";
import { KILLED, type SimEventType } from "../../../src/sim/runtime/entities.js";
import { type ExecAnswer, type ExecCall, RuntimeWorld } from "../../../src/sim/runtime/runtime-world.js";
import type { Journal } from "../journal.js";
import { type ClockError, hostClock, skewedClock, trueClock } from "../machine/host-clock.js";
import { SeededRandom } from "../../support/seeded-random.js";
import type { Timeline } from "../machine/timeline.js";
import type { ApiEndpoint } from "../wires/api-wire.js";
import { CriWire } from "../wires/cri-wire.js";
import type { OnStep } from "../wires/interception.js";
import { Link } from "../wires/link.js";
import { allGates } from "./gates.js";
import { type LifePorts, ProcessHost } from "./process-host.js";

export interface SimNodeOptions {
  readonly name: string;
  readonly seed: number;
  /** Whether its clock is wrong, and goes wrong. */
  readonly isSkewed: boolean;
  /** From here to the API server. Units: milliseconds */
  readonly distanceMs: number;
  readonly timeline: Timeline;
  readonly journal: Journal;
  readonly state: ApiState;
  readonly endpoint: () => ApiEndpoint;
  readonly token: () => string;
  readonly onStep: OnStep;
}

const MAX_DRAIN_MS = 2_000;
const CHANGES: Readonly<Record<SimEventType, "created" | "started" | "ended" | "removed">> = {
  CONTAINER_CREATED_EVENT: "created",
  CONTAINER_STARTED_EVENT: "started",
  CONTAINER_STOPPED_EVENT: "ended",
  CONTAINER_DELETED_EVENT: "removed",
};

interface KubeletLife {
  readonly stopping: AbortController;
  readonly kubelet: Kubelet;
  readonly connection: NodeConnection;
}

/** One machine of the cluster: a runtime, a kubelet, our agent, and a clock that all of them share. */
export class SimNode {
  readonly name: string;
  readonly world: RuntimeWorld;
  readonly clockError: ClockError;
  readonly agent: ProcessHost;
  /** To the runtime's socket. */
  readonly socket = new Link();
  /** From a change in the API server to the kubelet. Units: milliseconds. */
  kubeletLagMs = 20;
  readonly #options: SimNodeOptions;
  readonly #random: SeededRandom;
  #kubelet: KubeletLife | undefined;
  #pods = 0;

  constructor(options: SimNodeOptions) {
    const { name, seed, timeline, journal, endpoint, token, onStep } = options;
    this.name = name;
    this.#options = options;
    this.#random = new SeededRandom(seed, name);
    this.clockError = options.isSkewed ? skewedClock(this.#random) : trueClock();
    this.world = new RuntimeWorld(hostClock(timeline, this.clockError), new SeededRandom(seed, `${name}/runtime`));
    this.world.answerExec = (call, signal) => this.#drain(call, signal);
    this.world.containers.watch(({ type, container }) => journal.add({ type: "container", node: name, change: CHANGES[type], container }));
    this.agent = new ProcessHost({
      name: `agent-${name}`,
      component: "agent",
      seed,
      timeline,
      journal,
      clockError: this.clockError,
      link: new Link(options.distanceMs),
      endpoint,
      token,
      onStep,
      tasks: (ports) => this.#agentTasks(ports),
    });
  }

  start(): void {
    this.startKubelet();
    this.agent.start();
  }

  startKubelet(): void {
    if (this.#kubelet !== undefined) return;
    const { timeline, state, journal, name } = this.#options;
    const clock = hostClock(timeline, this.clockError);
    const stopping = new AbortController();
    const connection = createNodeApi({ state, clock, nodeName: name, lagMs: () => this.kubeletLagMs });
    const kubelet = new Kubelet({
      api: connection,
      world: this.world,
      clock,
      random: this.#random,
      hostIP: "10.99.0.1",
      nextPodIP: () => `10.99.1.${String(++this.#pods)}`,
    });
    this.#kubelet = { stopping, kubelet, connection };
    // Not all kubelets look at the same moment.
    timeline.after(this.#random.within(0, 1_000), () => {
      if (stopping.signal.aborted) return;
      kubelet.run(stopping.signal).catch((failure: unknown) => {
        if (failure !== stopping.signal.reason)
          journal.add({ type: "life", actor: `kubelet-${name}`, change: "breaks", message: String(failure) });
      });
    });
  }

  stopKubelet(): void {
    this.#kubelet?.stopping.abort(new Error("the kubelet stops"));
    this.#kubelet?.connection.disconnect();
    this.#kubelet = undefined;
  }

  /** The kubelet's own way to the API server, for a while. */
  cutOffKubelet(durationMs: number): void {
    this.#disturbKubelet(durationMs, {
      begin: ({ connection }) => connection.disconnect(),
      end: ({ connection }) => connection.reconnect(),
    });
  }

  /** What the kubelet writes waits behind its rate limit for a while; what others write reaches it. */
  delayKubeletWrites(durationMs: number): void {
    this.#disturbKubelet(durationMs, {
      begin: ({ connection }) => connection.holdWrites(),
      end: ({ connection }) => connection.releaseWrites(),
    });
  }

  /** Everything that the kubelet does takes longer for a while. */
  slowKubelet(durationMs: number, delayMs: number): void {
    this.#disturbKubelet(durationMs, {
      begin: ({ kubelet }) => (kubelet.pace.delayMs = delayMs),
      end: ({ kubelet }) => (kubelet.pace.delayMs = 0),
    });
  }

  /** Something that ends after a while, or with this life of the kubelet. */
  #disturbKubelet(durationMs: number, { begin, end }: Readonly<Record<"begin" | "end", (life: KubeletLife) => unknown>>): void {
    const life = this.#kubelet;
    if (life === undefined) return;
    begin(life);
    this.#options.timeline.after(durationMs, () => {
      if (life === this.#kubelet) end(life);
    });
  }

  /** The machine goes down in the middle of everything, and comes up again after a while. */
  reboot(durationMs: number): void {
    this.stopKubelet();
    this.agent.holdDown();
    this.socket.isDown = true;
    this.world.reboot();
    this.#options.timeline.after(durationMs, () => {
      this.socket.isDown = false;
      this.startKubelet();
      this.agent.release();
    });
  }

  /** A preStop takes its time, and ends with its container. */
  async #drain({ containerId }: ExecCall, signal: AbortSignal): Promise<ExecAnswer> {
    await hostClock(this.#options.timeline, this.clockError).sleep(this.#random.within(0, MAX_DRAIN_MS), signal);
    const isRunning = this.world.containers.get(containerId)?.state === "CONTAINER_RUNNING";
    return { exitCode: isRunning ? 0 : KILLED };
  }

  #agentTasks({ incarnation, client, clock, random, logger }: LifePorts): readonly Task[] {
    const { seed, timeline, onStep } = this.#options;
    const openTransport = (): CriWire =>
      new CriWire({
        timeline,
        incarnation,
        random: new SeededRandom(seed, `${incarnation.name}/cri`),
        link: this.socket,
        world: this.world,
        onStep,
      });
    const { runtime, images } = openCriRuntime({
      socketPaths: ["/run/runtime.sock"],
      clock,
      logger,
      metrics: silentMetrics,
      openTransport,
    });
    return createAgent({
      nodeName: this.name,
      client,
      runtime,
      images,
      gates: allGates,
      clock,
      random,
      logger,
      metrics: silentMetrics,
      cpuCount: 2,
    }).tasks;
  }
}
