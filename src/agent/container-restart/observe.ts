import { type ContainerInstance, readInstance } from "../../core/container-restart/instance.js";
import type { ContainerRuntime } from "../../cri/runtime.js";
import type { AgentDependencies } from "../dependencies.js";
import type { CalledStops } from "./called-stops.js";
import { PodLists } from "./pod-lists.js";

/** One look at the containers of one pod. One that still runs, but may be about to end by a stop of ours, is Unknown. */
export interface PodView {
  readonly runtimeName: string;
  readonly instances: readonly ContainerInstance[];
}

/** Looks at the containers of pods. */
export class PodObserver {
  readonly #runtime: ContainerRuntime;
  readonly #lists: PodLists;
  readonly #calledStops: CalledStops;
  #runtimeName: string | undefined;

  constructor({ runtime, clock }: Pick<AgentDependencies, "runtime" | "clock">, calledStops: CalledStops) {
    this.#runtime = runtime;
    this.#lists = new PodLists(runtime, clock);
    this.#calledStops = calledStops;
  }

  /** @param isAgain true for one of many looks while something is awaited, which may take a moment and come cheaper */
  async look({ podUid, isAgain }: { readonly podUid: string; readonly isAgain: boolean }, signal: AbortSignal): Promise<PodView> {
    try {
      const listing = isAgain ? this.#lists.listTogether(podUid, signal) : this.#lists.list(podUid, signal);
      const [runtimeName, listed] = await Promise.all([this.#nameOfRuntime(signal), listing]);
      // The filter is the runtime's; which containers may be touched is not left to it.
      const instances = listed.flatMap((container) => readInstance(container) ?? []).filter((instance) => instance.podUid === podUid);
      return { runtimeName, instances: instances.map((instance) => this.#doubt(instance)) };
    } catch (error) {
      this.#runtimeName = undefined; // whatever answers next may be another runtime
      throw error;
    }
  }

  #doubt(instance: ContainerInstance): ContainerInstance {
    const isDoubtful = instance.state === "Running" && this.#calledStops.mayTakeEffect(instance.id);
    return isDoubtful ? { ...instance, state: "Unknown" } : instance;
  }

  async #nameOfRuntime(signal: AbortSignal): Promise<string> {
    this.#runtimeName ??= (await this.#runtime.version(signal)).runtimeName;
    return this.#runtimeName;
  }
}
