import type { ContainerRuntime, ContainerSummary } from "../../cri/runtime.js";
import type { Clock } from "../../lib/clock.js";

/** Looks that come within this time of one another are asked as one question. */
const GATHER_MS = 2;
/** From this many pods on, one list of the whole node costs the runtime less than one list for each: it walks all containers anyway. */
const WHOLE_NODE_FROM = 3;

interface Asker {
  readonly podUid: string;
  readonly resolve: (containers: readonly ContainerSummary[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Lists the containers of pods; many that are looked at again and again share their lists. */
export class PodLists {
  readonly #runtime: ContainerRuntime;
  readonly #clock: Clock;
  #gathering: Asker[] = [];

  constructor(runtime: ContainerRuntime, clock: Clock) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  /** The pod's containers, asked for at once. */
  list(podUid: string, signal: AbortSignal): Promise<readonly ContainerSummary[]> {
    return this.#runtime.listContainers({ podUid }, signal);
  }

  /** The same, a moment later and never older than the call, in one question with whoever asks in that moment. */
  listTogether(podUid: string, signal: AbortSignal): Promise<readonly ContainerSummary[]> {
    return new Promise((resolve, reject) => {
      if (this.#gathering.length === 0) this.#clock.schedule(GATHER_MS, () => void this.#ask(signal));
      this.#gathering.push({ podUid, resolve, reject });
    });
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const askers = this.#gathering;
    this.#gathering = [];
    try {
      signal.throwIfAborted();
      if (askers.length < WHOLE_NODE_FROM)
        await Promise.all(askers.map(async ({ podUid, resolve }) => resolve(await this.list(podUid, signal))));
      else this.#handOut(askers, await this.#runtime.listContainers({}, signal));
    } catch (error) {
      for (const { reject } of askers) reject(error);
    }
  }

  #handOut(askers: readonly Asker[], containers: readonly ContainerSummary[]): void {
    const byPod = new Map<string, ContainerSummary[]>(askers.map(({ podUid }) => [podUid, []]));
    for (const container of containers) byPod.get(container.labels[POD_UID_LABEL] ?? "")?.push(container);
    for (const { podUid, resolve } of askers) resolve(byPod.get(podUid) ?? []);
  }
}

const POD_UID_LABEL = "io.kubernetes.pod.uid";
