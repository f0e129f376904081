import type { Pod } from "../../api/pod.js";
import type { Clock } from "../../lib/clock.js";
import type { Random } from "../../lib/random.js";
import type { Task } from "../../lib/tasks.js";
import { jsonEquals } from "../api-server/json.js";
import type { RuntimeWorld } from "../runtime/runtime-world.js";
import { ContainerStarter } from "./container-starter.js";
import { collectGarbage } from "./garbage.js";
import type { NodeApi } from "./node-api.js";
import { Pace } from "./pace.js";
import { isReadinessStale } from "./pod-conditions.js";
import { PodWorker, type WorkerOptions } from "./pod-worker.js";
import { Relist } from "./relist.js";

export interface KubeletOptions {
  readonly api: NodeApi;
  readonly world: Pick<RuntimeWorld, "containers" | "images" | "exec" | "passesProbe">;
  readonly clock: Clock;
  readonly hostIP: string;
  /** An address for a new sandbox. */
  readonly nextPodIP: () => string;
  /** For what the real one leaves to chance; default: the middle. */
  readonly random?: Pick<Random, "next">;
  /** From one look at the runtime to the next; default: a second, as the real one. */
  readonly relistMs?: number;
  /** To make a sandbox with its network; default: as recorded. */
  readonly sandboxMs?: number;
  /** To start a created container; default: as recorded. */
  readonly startMs?: number;
}

const RELIST_MS = 1_000;
/** Work that waits for its time is looked for so often. */
const TICK_MS = 1_000;
const RETRY_JITTER = 0.5;
const MIDDLE = { next: () => 0.5 } as const;

/**
 * A model of one node's kubelet: starts what pods ask for, restarts what ends or gets another image, probes, writes pod status, ends pods.
 *
 * One object is one life of the process: it remembers nothing of an earlier one but what the runtime and the API server have.
 * What the real one does and this one does not: liveness probes, init containers, volumes, resources, restart policies other than Always.
 */
export class Kubelet implements Task {
  readonly name = "kubelet";
  /** How fast it gets on. */
  readonly pace: Pace;
  readonly #options: KubeletOptions;
  readonly #relist: Relist;
  readonly #workers = new Map<string, PodWorker>();
  readonly #running = new Set<Promise<void>>();
  #hasList = false;

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.pace = new Pace(options.clock);
    this.#relist = new Relist(options.world.containers, options.clock);
  }

  /** Until told to stop. It may run once. */
  async run(signal: AbortSignal): Promise<void> {
    const { api, clock, relistMs = RELIST_MS } = this.#options;
    const broken = new AbortController();
    const stop = AbortSignal.any([signal, broken.signal]);
    const workerOptions = this.#workerOptions();
    const unwatch = api.watchPods({
      pod: (uid, pod) => this.#take(uid, pod, { stop, broken, workerOptions }),
      listed: () => {
        this.#hasList = true;
      },
    });
    try {
      for (;;) {
        await this.pace.step(stop);
        this.#look();
        await clock.sleep(relistMs, stop);
      }
    } finally {
      unwatch();
      await Promise.allSettled(this.#running);
    }
  }

  #look(): void {
    const { containers } = this.#options.world;
    for (const uid of this.#relist.look()) {
      this.#workers.get(uid)?.wake();
      collectGarbage(containers, uid);
    }
    if (this.#hasList) for (const uid of this.#relist.uids()) if (!this.#workers.has(uid)) this.#removeOrphan(uid);
  }

  /** What runs of a pod that was deleted while nobody looked. */
  #removeOrphan(uid: string): void {
    const { containers } = this.#options.world;
    for (const sandbox of containers.sandboxes()) if (sandbox.uid === uid) containers.removeSandbox(sandbox.id);
  }

  #workerOptions(): WorkerOptions {
    const { clock, random = MIDDLE } = this.#options;
    const startMs = clock.monotonicMs();
    return {
      ...this.#options,
      random,
      relist: this.#relist,
      starter: new ContainerStarter(this.#options),
      pace: this.pace,
      kubeletStart: { nowMs: clock.nowMs(), monotonicMs: startMs },
      retryDelayMs(wantedMs) {
        const ranMs = clock.monotonicMs() - startMs;
        const dueMs = ranMs + wantedMs * (1 + RETRY_JITTER * random.next());
        return Math.ceil(dueMs / TICK_MS) * TICK_MS - ranMs;
      },
    };
  }

  #take(
    uid: string,
    pod: Pod | undefined,
    { stop, broken, workerOptions }: { stop: AbortSignal; broken: AbortController; workerOptions: WorkerOptions },
  ): void {
    const worker = this.#workers.get(uid);
    if (pod === undefined) {
      if (worker?.hasEnded === true) this.#workers.delete(uid);
      else worker?.forget();
      return;
    }
    if (worker === undefined) {
      this.#start(uid, new PodWorker(pod, workerOptions), { stop, broken });
      return;
    }
    const before = worker.pod;
    worker.update(pod);
    if (isOther(before, pod) || isReadinessStale(pod)) worker.wake();
  }

  #start(uid: string, worker: PodWorker, { stop, broken }: { stop: AbortSignal; broken: AbortController }): void {
    this.#workers.set(uid, worker);
    // A signal of its own: one for all would carry listeners without number.
    const running = worker.run(AbortSignal.any([stop])).then(
      () => (worker.isGone ? void this.#workers.delete(uid) : undefined),
      (error: unknown) => broken.abort(error),
    );
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
  }
}

/** What makes the kubelet deal with a pod; changes of its status alone do not. */
function isOther(before: Pod, after: Pod): boolean {
  const [a, b] = [before.metadata, after.metadata];
  if (a.deletionTimestamp !== b.deletionTimestamp || a.deletionGracePeriodSeconds !== b.deletionGracePeriodSeconds) return true;
  if (a.generation !== b.generation || !isSame(a.labels, b.labels) || !isSame(a.annotations, b.annotations)) return true;
  return a.generation === undefined && !isSame(before.spec, after.spec);
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || jsonEquals(a, b);
}
