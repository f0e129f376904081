import type { Pod } from "../../api/pod.js";
import type { Clock } from "../../lib/clock.js";
import type { Task } from "../../lib/tasks.js";
import type { RuntimeWorld } from "../runtime/runtime-world.js";
import { ContainerStarter } from "./container-starter.js";
import type { NodeApi } from "./node-api.js";
import { isReadinessStale } from "./pod-status.js";
import { PodWorker } from "./pod-worker.js";
import { Relist } from "./relist.js";

export interface KubeletOptions {
  readonly api: NodeApi;
  readonly world: Pick<RuntimeWorld, "containers" | "images">;
  readonly clock: Clock;
  readonly hostIP: string;
  /** An address for a new pod. */
  readonly nextPodIP: () => string;
  /** From one look at the runtime to the next; default: a second, as the real one. */
  readonly relistMs?: number;
  /** To make a sandbox with its network; default: as recorded. */
  readonly sandboxMs?: number;
  /** To start a created container; default: as recorded. */
  readonly startMs?: number;
}

const RELIST_MS = 1_000;

/**
 * A model of one node's kubelet: starts what pods ask for, restarts what ends or gets another image, writes pod status, ends pods.
 *
 * What the real one does and this one does not: probes, init containers, volumes, resources, restart policies other than Always.
 */
export class Kubelet implements Task {
  readonly name = "kubelet";
  readonly #options: KubeletOptions;
  readonly #relist: Relist;
  readonly #starter: ContainerStarter;
  readonly #workers = new Map<string, PodWorker>();

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#relist = new Relist(options.world.containers, options.clock);
    this.#starter = new ContainerStarter(options);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { api, clock, relistMs = RELIST_MS } = this.#options;
    const broken = new AbortController();
    const stop = AbortSignal.any([signal, broken.signal]);
    const unwatch = api.watchPods((uid, pod) => this.#take(uid, pod, { stop, broken }));
    try {
      for (;;) {
        for (const uid of this.#relist.look()) this.#workers.get(uid)?.wake();
        await clock.sleep(relistMs, stop);
      }
    } finally {
      unwatch();
    }
  }

  #take(uid: string, pod: Pod | undefined, { stop, broken }: { stop: AbortSignal; broken: AbortController }): void {
    const worker = this.#workers.get(uid);
    if (pod === undefined) {
      this.#workers.delete(uid);
      return;
    }
    if (worker === undefined) {
      this.#add(uid, pod)
        .run(stop)
        .then(undefined, (error: unknown) => broken.abort(error));
      return;
    }
    const before = worker.pod;
    worker.update(pod);
    if (isOther(before, pod) || isReadinessStale(pod)) worker.wake();
  }

  #add(uid: string, pod: Pod): PodWorker {
    const { nextPodIP } = this.#options;
    const worker = new PodWorker(pod, { ...this.#options, relist: this.#relist, starter: this.#starter, podIP: nextPodIP() });
    this.#workers.set(uid, worker);
    return worker;
  }
}

/** What makes the kubelet deal with a pod; changes of its status alone do not. */
function isOther(before: Pod, after: Pod): boolean {
  const part = ({ metadata, spec }: Pod): string => {
    const { labels, annotations, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
    return JSON.stringify([spec, labels, annotations, deletionTimestamp, deletionGracePeriodSeconds]);
  };
  return part(before) !== part(after);
}
