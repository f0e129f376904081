import type { Pod } from "../../api/pod.js";
import { PODS } from "../../api/resources.js";
import type { Clock } from "../../lib/clock.js";
import type { ApiState } from "../api-server/api-state.js";

/** Takes the pods of a node as they arrive. */
export interface PodListener {
  /** A new version of a pod; undefined: it is gone. */
  pod(uid: string, pod: Pod | undefined): void;
  /** Every pod that there was at one moment has been told of: what is not known now does not exist. */
  listed(): void;
}

export interface PodFeedOptions {
  readonly state: ApiState;
  readonly clock: Clock;
  readonly nodeName: string;
  readonly lagMs: number | (() => number);
}

/** One node's view of its pods: a list, then changes, each some time later than it happened; never out of order. */
export class PodFeed {
  readonly #options: PodFeedOptions;
  readonly #timers = new Set<() => void>();
  /** What is on its way here, oldest first. */
  readonly #arriving: (() => void)[] = [];
  /** The version last told of, by uid. */
  readonly #told = new Map<string, string>();
  #listener: PodListener | undefined;
  #unsubscribe: (() => void) | undefined;
  #isConnected = true;
  #lastDueMs = 0;

  constructor(options: PodFeedOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** @returns the function that ends it */
  watch(listener: PodListener): () => void {
    this.#listener = listener;
    if (this.#isConnected) this.#follow();
    return () => {
      this.#listener = undefined;
      this.#cut();
    };
  }

  disconnect(): void {
    this.#isConnected = false;
    this.#cut();
  }

  connect(): void {
    this.#isConnected = true;
    if (this.#listener !== undefined) this.#follow();
  }

  #cut(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.#arriving.length = 0;
  }

  #follow(): void {
    const { state, nodeName } = this.#options;
    const listed = state.list(PODS) as unknown as readonly Pod[];
    const own = listed.filter(({ spec }) => spec.nodeName === nodeName);
    this.#later(() => this.#takeList(own));
    this.#unsubscribe?.();
    this.#unsubscribe = state.database.subscribe(({ kind, type, object }) => {
      if (kind.plural !== "pods" || kind.group !== "") return;
      const pod = object as unknown as Pod;
      if (pod.spec.nodeName === nodeName) this.#later(() => this.#tell(pod, type === "DELETED"));
    });
  }

  #takeList(pods: readonly Pod[]): void {
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    const gone = [...this.#told.keys()].filter((uid) => !uids.has(uid));
    for (const uid of gone) {
      this.#told.delete(uid);
      this.#listener?.pod(uid, undefined);
    }
    for (const pod of pods) this.#tell(pod, false);
    this.#listener?.listed();
  }

  #tell(pod: Pod, isGone: boolean): void {
    const { uid = "", resourceVersion = "" } = pod.metadata;
    if (this.#told.get(uid) === resourceVersion) return;
    if (isGone) this.#told.delete(uid);
    else this.#told.set(uid, resourceVersion);
    this.#listener?.pod(uid, isGone ? undefined : pod);
  }

  #later(act: () => void): void {
    const { clock, lagMs } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#lastDueMs = Math.max(this.#lastDueMs, nowMs + (typeof lagMs === "number" ? lagMs : lagMs()));
    this.#arriving.push(act);
    const cancel = clock.schedule(this.#lastDueMs - nowMs, () => {
      this.#timers.delete(cancel);
      // Timers count whole milliseconds, so of two that are due together the later one may ring first: whichever rings, the oldest arrives.
      this.#arriving.shift()?.();
    });
    this.#timers.add(cancel);
  }
}
