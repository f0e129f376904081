import { type ContainerInstance, readInstance } from "../../core/container-restart/instance.js";
import type { ContainerRuntime } from "../../cri/runtime.js";

/** One look at the containers of one pod. */
export interface PodView {
  readonly runtimeName: string;
  readonly instances: readonly ContainerInstance[];
}

/** Looks at the containers of pods. */
export class PodObserver {
  readonly #runtime: ContainerRuntime;
  #runtimeName: string | undefined;

  constructor(runtime: ContainerRuntime) {
    this.#runtime = runtime;
  }

  async look(podUid: string, signal: AbortSignal): Promise<PodView> {
    try {
      const [runtimeName, listed] = await Promise.all([this.#nameOfRuntime(signal), this.#runtime.listContainers({ podUid }, signal)]);
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
