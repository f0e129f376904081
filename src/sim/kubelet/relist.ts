import type { Clock } from "../../lib/clock.js";
import type { ContainerStore } from "../runtime/container-store.js";
import type { SimContainer, SimSandbox } from "../runtime/entities.js";
import type { PodView } from "./pod-spec.js";

interface Look {
  readonly atMs: number;
  readonly containers: readonly SimContainer[];
  readonly sandboxes: readonly SimSandbox[];
}

const UID_LABEL = "io.kubernetes.pod.uid";

/** The kubelet's picture of the runtime: as it was at the last look, once a period. */
export class Relist {
  readonly #store: ContainerStore;
  readonly #clock: Clock;
  #look: Look = { atMs: -1, containers: [], sandboxes: [] };
  #waiting: (() => void)[] = [];

  constructor(store: ContainerStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Looks once. @returns the uids of the pods of which something began or ended since the last look */
  look(): readonly string[] {
    const before = stateById(this.#look);
    const next = { atMs: this.#clock.monotonicMs(), containers: this.#store.list(), sandboxes: this.#store.sandboxes() };
    const after = stateById(next);
    this.#look = next;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
    const changed = [...after].filter(([id, now]) => before.get(id)?.state !== now.state).map(([, { uid }]) => uid);
    const gone = [...before].filter(([id]) => !after.has(id)).map(([, { uid }]) => uid);
    return [...new Set([...changed, ...gone])];
  }

  /** The pod as a look later than `minMs` (of the monotonic clock) showed it; waits for that look. */
  async newerThan(uid: string, minMs: number, signal: AbortSignal): Promise<PodView> {
    while (this.#look.atMs <= minMs) await this.#next(signal);
    return viewOf(this.#look, uid);
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      this.#waiting.push(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
    });
  }
}

function stateById({ containers, sandboxes }: Look): Map<string, { readonly uid: string; readonly state: string }> {
  const ofContainers = containers.map(({ id, labels, state }) => [id, { uid: labels[UID_LABEL] ?? "", state }] as const);
  const ofSandboxes = sandboxes.map(({ id, uid, isReady }) => [id, { uid, state: String(isReady) }] as const);
  return new Map([...ofContainers, ...ofSandboxes]);
}

function viewOf({ containers, sandboxes }: Look, uid: string): PodView {
  const newestFirst = (a: { readonly createdAtNs: bigint }, b: { readonly createdAtNs: bigint }): number =>
    a.createdAtNs < b.createdAtNs ? 1 : -1;
  return {
    sandbox: sandboxes.filter((sandbox) => sandbox.uid === uid && sandbox.isReady).sort(newestFirst)[0],
    containers: containers.filter(({ labels }) => labels[UID_LABEL] === uid).sort(newestFirst),
  };
}
