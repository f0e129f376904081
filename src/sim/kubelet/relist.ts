import type { Clock } from "../../lib/clock.js";
import type { ContainerStore } from "../runtime/container-store.js";
import type { SimContainer, SimSandbox } from "../runtime/entities.js";
import type { PodView } from "./pod-spec.js";

/** What the runtime had at one moment, by the uid of the pod. */
interface Look {
  readonly atMs: number;
  readonly revision: number;
  readonly pods: ReadonlyMap<string, PodView>;
  readonly states: ReadonlyMap<string, InstanceState>;
}

/** Of a container or a sandbox: both count alike. */
interface InstanceState {
  readonly uid: string;
  readonly state: "created" | "running" | "ended";
}

const UID_LABEL = "io.kubernetes.pod.uid";
const EMPTY: PodView = { sandbox: undefined, containers: [], lastSandbox: undefined };

/** The kubelet's picture of the runtime: as it was at the last look, once a period. */
export class Relist {
  readonly #store: ContainerStore;
  readonly #clock: Clock;
  #look: Look = { atMs: -1, revision: -1, pods: new Map(), states: new Map() };
  #waiting: (() => void)[] = [];

  constructor(store: ContainerStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Looks once. @returns the uids of the pods of which something began or ended since the last look */
  look(): readonly string[] {
    const before = this.#look;
    const atMs = this.#clock.monotonicMs();
    const isSame = this.#store.revision === before.revision;
    this.#look = isSame ? { ...before, atMs } : lookAt(this.#store, atMs);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
    return isSame ? [] : changedPods(before, this.#look);
  }

  /** The uids of all pods that the last look showed. */
  uids(): readonly string[] {
    return [...this.#look.pods.keys()];
  }

  /** The pod as a look later than `minMs` (of the monotonic clock) showed it; waits for that look. */
  async newerThan(uid: string, minMs: number, signal: AbortSignal): Promise<PodView> {
    while (this.#look.atMs <= minMs) await this.#next(signal);
    return this.#look.pods.get(uid) ?? EMPTY;
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stop = (): void => reject(signal.reason as Error);
      signal.addEventListener("abort", stop, { once: true });
      this.#waiting.push(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
    });
  }
}

/** Creations and removals say nothing: only what begins to run, and what ends or is gone without its end having been seen. */
function changedPods(before: Look, after: Look): readonly string[] {
  const changed = new Set<string>();
  for (const [id, { uid, state }] of after.states) {
    if (state !== "created" && before.states.get(id)?.state !== state) changed.add(uid);
  }
  for (const [id, { uid, state }] of before.states) if (state !== "ended" && !after.states.has(id)) changed.add(uid);
  return [...changed];
}

function lookAt(store: ContainerStore, atMs: number): Look {
  const containers = store.list();
  const sandboxes = store.sandboxes();
  const states = new Map<string, InstanceState>();
  for (const { id, uid, isReady } of sandboxes) states.set(id, { uid, state: isReady ? "running" : "ended" });
  for (const { id, labels, state } of containers) states.set(id, { uid: labels[UID_LABEL] ?? "", state: STATES[state] });
  const sandboxesByUid = grouped(sandboxes, ({ uid }) => uid);
  const containersByUid = grouped(containers, ({ labels }) => labels[UID_LABEL] ?? "");
  const uids = new Set([...sandboxesByUid.keys(), ...containersByUid.keys()]);
  const pods = new Map([...uids].map((uid) => [uid, viewOf(sandboxesByUid.get(uid) ?? [], containersByUid.get(uid) ?? [])]));
  return { atMs, revision: store.revision, pods, states };
}

const STATES = { CONTAINER_CREATED: "created", CONTAINER_RUNNING: "running", CONTAINER_EXITED: "ended" } as const;

function viewOf(sandboxes: readonly SimSandbox[], containers: readonly SimContainer[]): PodView {
  const newest = [...sandboxes].sort(newestFirst);
  return {
    sandbox: newest.find(({ isReady }) => isReady),
    lastSandbox: newest[0],
    containers: [...containers].sort(newestFirst),
  };
}

function newestFirst(a: { readonly createdAtNs: bigint }, b: { readonly createdAtNs: bigint }): number {
  return a.createdAtNs < b.createdAtNs ? 1 : -1;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
