import { type ContainerInstance, readInstance } from "../../core/container-restart/instance.js";
import type { ContainerRuntime } from "../../cri/runtime.js";
import type { Clock } from "../../lib/clock.js";
import { PodLists } from "./pod-lists.js";

/** One look at the containers of one pod. */
export interface PodView {
  readonly runtimeName: string;
  readonly instances: readonly ContainerInstance[];
}

/** Looks at the containers of pods. */
export class PodObserver {
  readonly #runtime: ContainerRuntime;
  readonly #lists: PodLists;
  #runtimeName: string | undefined;

  constructor(runtime: ContainerRuntime, clock: Clock) {
    this.#runtime = runtime;
    this.#lists = new PodLists(runtime, clock);
  }

  /** @param isAgain true for one of many looks while something is awaited, which may take a moment and come cheaper */
  async look({ podUid, isAgain }: { readonly podUid: string; readonly isAgain: boolean }, signal: AbortSignal): Promise<PodView> {
    try {
      const listing = isAgain ? this.#lists.listTogether(podUid, signal) : this.#lists.list(podUid, signal);
      const [runtimeName, listed] = await Promise.all([this.#nameOfRuntime(signal), listing]);
      // The filter is the runtime's; which containers may be touched is not left to it.
      const instances = listed.flatMap((container) => readInstance(container) ?? []).filter((instance) => instance.podUid === podUid);
      return { runtimeName, instances };
    } catch (error) {
      this.#runtimeName = undefined; // whatever answers next may be another runtime
      throw error;
    }
  }

  async #nameOfRuntime(signal: AbortSignal): Promise<string> {
    this.#runtimeName ??= (await this.#runtime.version(signal)).runtimeName;
    return this.#runtimeName;
  }
}
