import type { ContainerStatus, Pod, PodStatus } from "../../api/pod.js";
import type { SimContainer } from "../runtime/entities.js";
import type { ProberOptions } from "./pod-prober.js";
import type { Probe } from "./pod-spec.js";

export type ProbeType = "startup" | "readiness";

export interface ProbeWorkerOptions extends ProberOptions {
  readonly name: string;
  readonly type: ProbeType;
  readonly probe: Probe;
  readonly status: () => PodStatus | undefined;
  readonly pod: () => Pod;
  readonly changed: (type: ProbeType, containerId: string) => void;
}

const ADOPTION_MS = 10_000;
const PERIOD_SECONDS = 10;
// Source: measured on the cluster of test/cluster, a command as probe
const PROBE_MS = 60;
const FAILURE_THRESHOLD = 3;

/** One probe of one container, instance after instance. It goes by the kubelet's own status of the pod, not by the runtime. */
export class ProbeWorker {
  readonly #options: ProbeWorkerOptions;
  readonly #type: ProbeType;
  readonly #periodMs: number;
  #containerId = "";
  /** Of the instance at hand; undefined: nothing is known yet. */
  #result: boolean | undefined;
  #last: { readonly isPassed: boolean; readonly times: number } | undefined;
  #isStopped = false;
  #cancel: () => void = () => undefined;
  #cancelProbe: () => void = () => undefined;

  constructor(options: ProbeWorkerOptions) {
    this.#options = options;
    this.#type = options.type;
    this.#periodMs = (options.probe.periodSeconds ?? PERIOD_SECONDS) * 1000;
  }

  /** The first probe comes at once, but a kubelet that has just begun spreads them over the period. */
  start(signal: AbortSignal): void {
    const { clock, random, kubeletStart } = this.#options;
    signal.addEventListener("abort", () => this.stop(), { once: true });
    const isFresh = clock.monotonicMs() - kubeletStart.monotonicMs < this.#periodMs;
    this.#cancel = clock.schedule(isFresh ? random.next() * this.#periodMs : 0, () => this.#tick());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
    this.#cancelProbe();
  }

  /** Probes as soon as what now goes on is done; the period begins anew. */
  trigger(): void {
    this.#cancel();
    if (!this.#isStopped) this.#cancel = this.#options.clock.schedule(0, () => this.#tick());
  }

  #tick(): void {
    const { clock, pace } = this.#options;
    this.#cancel = clock.schedule(this.#periodMs, () => this.#tick());
    if (!pace.isPaused) this.#probe();
  }

  /** undefined: nothing is known of that instance. */
  resultOf(containerId: string): boolean | undefined {
    return containerId === this.#containerId ? this.#result : undefined;
  }

  #probe(): void {
    const { name, status, world } = this.#options;
    const shown = status()?.containerStatuses?.find((found) => found.name === name);
    if (shown === undefined) return;
    const container = instanceOf(shown, world);
    if (container === undefined) return;
    if (container.id !== this.#containerId) this.#begin(container);
    const isOver = this.#type === "startup" && this.#result === false;
    if (isOver) return;
    if (shown.state?.running === undefined) this.#set(false);
    else this.#probeRunning(container, shown.started === true);
  }

  /** Startup probes end where the container has started, and readiness probes begin. */
  #probeRunning(container: SimContainer, isStarted: boolean): void {
    const { world, pod, clock } = this.#options;
    const isStartup = this.#type === "startup";
    if (isStartup && pod().metadata.deletionTimestamp !== undefined) {
      this.#set(true);
      this.stop();
      return;
    }
    if (this.#isTooEarly(container) || isStarted === isStartup) return;
    this.#cancelProbe();
    this.#cancelProbe = clock.schedule(PROBE_MS, () => {
      if (container.id === this.#containerId && world.containers.has(container.id)) this.#take(world.passesProbe(container));
    });
  }

  /** Another instance: unready until it passes, unless an earlier kubelet has seen to it. */
  #begin(container: SimContainer): void {
    this.#containerId = container.id;
    this.#result = undefined;
    if (isAdopted(container, this.#options)) return;
    if (this.#type === "readiness") this.#set(false);
    else this.#options.changed(this.#type, container.id);
  }

  #isTooEarly({ startedAtNs }: SimContainer): boolean {
    const { clock, probe } = this.#options;
    const ranMs = clock.nowMs() - Number(startedAtNs / 1_000_000n);
    return Math.trunc(ranMs / 1000) < (probe.initialDelaySeconds ?? 0);
  }

  #take(isPassed: boolean): void {
    const { successThreshold = 1, failureThreshold = FAILURE_THRESHOLD } = this.#options.probe;
    const times = this.#last?.isPassed === isPassed ? this.#last.times + 1 : 1;
    this.#last = { isPassed, times };
    if (times >= (isPassed ? successThreshold : failureThreshold)) this.#set(isPassed);
  }

  #set(result: boolean): void {
    if (this.#result === result) return;
    this.#result = result;
    this.#options.changed(this.#type, this.#containerId);
  }
}

function instanceOf({ containerID = "" }: ContainerStatus, { containers }: ProberOptions["world"]): SimContainer | undefined {
  const id = containerID.slice(containerID.lastIndexOf("/") + 1);
  return containers.has(id) ? containers.get(id) : undefined;
}

/** Whether a container runs since well before this kubelet does. */
export function isAdopted({ startedAtNs }: SimContainer, { kubeletStart }: Pick<ProberOptions, "kubeletStart">): boolean {
  return Number(startedAtNs / 1_000_000n) < kubeletStart.nowMs - ADOPTION_MS;
}
