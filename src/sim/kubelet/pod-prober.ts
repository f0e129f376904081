import type { ContainerStatus, Pod, PodStatus } from "../../api/pod.js";
import type { Clock } from "../../lib/clock.js";
import type { Random } from "../../lib/random.js";
import type { SimContainer } from "../runtime/entities.js";
import type { RuntimeWorld } from "../runtime/runtime-world.js";
import type { Pace } from "./pace.js";
import { specsOf } from "./pod-spec.js";
import { isAdopted, type ProbeType, ProbeWorker } from "./probe-worker.js";

export interface ProberOptions {
  readonly world: Pick<RuntimeWorld, "containers" | "passesProbe">;
  readonly clock: Clock;
  readonly random: Pick<Random, "next">;
  readonly pace: Pace;
  /** When the kubelet began. Units: milliseconds of either clock. */
  readonly kubeletStart: { readonly nowMs: number; readonly monotonicMs: number };
}

/** What a pod's prober is told by and tells. */
export interface ProberPorts {
  /** The kubelet's own newest status of the pod. */
  readonly status: () => PodStatus | undefined;
  readonly pod: () => Pod;
  readonly changed: (type: ProbeType, containerId: string) => void;
}

/** The probes of one pod's containers, as far as its spec has any. */
export class PodProber {
  readonly #options: ProberOptions;
  readonly #ports: ProberPorts;
  readonly #workers = new Map<string, ProbeWorker>();
  #isRunning = false;

  constructor(options: ProberOptions, ports: ProberPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** Begins to probe, once. */
  start(signal: AbortSignal): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (const spec of specsOf(this.#ports.pod())) {
      for (const [type, probe] of [["startup", spec.startupProbe] as const, ["readiness", spec.readinessProbe] as const]) {
        if (probe === undefined) continue;
        const worker = new ProbeWorker({ ...this.#options, ...this.#ports, name: spec.name, type, probe });
        this.#workers.set(keyOf(type, spec.name), worker);
      }
    }
    for (const worker of this.#workers.values()) worker.start(signal);
  }

  stop(type?: ProbeType): void {
    for (const [key, worker] of this.#workers) if (type === undefined || key.startsWith(type)) worker.stop();
  }

  /** Looks at once at what is not ready yet, as the kubelet does whenever it works out a status. */
  trigger(container: SimContainer): void {
    this.#workers.get(keyOf("readiness", container.name))?.trigger();
  }

  /** @param before - what the status said of the container until now */
  isStarted(container: SimContainer, before: ContainerStatus | undefined): boolean {
    const worker = this.#workers.get(keyOf("startup", container.name));
    if (worker === undefined) return this.#adopted(container, "startupProbe", before)?.started ?? true;
    return worker.resultOf(container.id) ?? this.#adopted(container, "startupProbe", before)?.started ?? false;
  }

  isReady(container: SimContainer, before: ContainerStatus | undefined): boolean {
    const worker = this.#workers.get(keyOf("readiness", container.name));
    const isReady = worker?.resultOf(container.id);
    if (worker === undefined) return this.#adopted(container, "readinessProbe", before)?.ready ?? true;
    return isReady ?? this.#adopted(container, "readinessProbe", before)?.ready ?? false;
  }

  hasFailedStartup(container: SimContainer): boolean {
    return this.#workers.get(keyOf("startup", container.name))?.resultOf(container.id) === false;
  }

  /** A container with such a probe that runs since before this kubelet does keeps what was said of it until it is probed. */
  #adopted(
    container: SimContainer,
    probe: "startupProbe" | "readinessProbe",
    before: ContainerStatus | undefined,
  ): ContainerStatus | undefined {
    const spec = specsOf(this.#ports.pod()).find(({ name }) => name === container.name);
    if (spec?.[probe] === undefined) return undefined;
    return isAdopted(container, this.#options) && before?.containerID?.endsWith(container.id) === true ? before : undefined;
  }
}

function keyOf(type: ProbeType, name: string): string {
  return `${type}/${name}`;
}
