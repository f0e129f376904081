import type { Pod, PodStatus } from "../../api/pod.js";
import { containerHash } from "./container-hash.js";
import type { KubeletOptions } from "./kubelet.js";
import type { ContainerStarter, NotStarted } from "./container-starter.js";
import { graceSecondsOf, latestOf, type PodView, simPodOf, specsOf, uidOf } from "./pod-spec.js";
import { podStatus, type WaitingReason } from "./pod-status.js";
import type { Relist } from "./relist.js";
import type { SimContainer, SimSandbox } from "../runtime/entities.js";
import { sandboxLabels } from "../runtime/kubelet-words.js";

export interface WorkerOptions extends KubeletOptions {
  readonly relist: Relist;
  readonly starter: ContainerStarter;
  readonly podIP: string;
}

// Source: spec/recordings, from Scheduled to the first Pulling
const SANDBOX_MS = 400;

interface Killing {
  readonly pod: Pod;
  readonly container: SimContainer;
  readonly message: string;
}

/** The state of one pod on the node: pending to running to gone. It works on one version of the pod at a time, whatever comes meanwhile. */
export class PodWorker {
  readonly #options: WorkerOptions;
  readonly #startedAtMs: number;
  readonly #reasons = new Map<string, WaitingReason>();
  #pod: Pod;
  #isDue = true;
  #wake: (() => void) | undefined;
  #lastSyncMs = -1;
  #written: PodStatus | undefined;
  #cancelRetry: () => void = () => undefined;

  constructor(pod: Pod, options: WorkerOptions) {
    this.#pod = pod;
    this.#options = options;
    this.#startedAtMs = options.clock.nowMs();
  }

  /** The newest version that has arrived here. */
  get pod(): Pod {
    return this.#pod;
  }

  /** Takes in a version; acts on it when woken. */
  update(pod: Pod): void {
    this.#pod = pod;
  }

  /** Says that there is something to do. */
  wake(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  /** Works until the pod is gone. */
  async run(signal: AbortSignal): Promise<void> {
    const { relist, clock } = this.#options;
    for (;;) {
      await this.#due(signal);
      this.#isDue = false;
      // The version is taken before the wait for a look at the runtime: a container that dies meanwhile starts again from it.
      const pod = this.#pod;
      const view = await relist.newerThan(uidOf(pod), this.#lastSyncMs, signal);
      if (pod.metadata.deletionTimestamp !== undefined) return this.#end(pod, view, signal);
      await this.#sync(pod, view, signal);
      this.#lastSyncMs = clock.monotonicMs();
    }
  }

  #due(signal: AbortSignal): Promise<void> {
    if (this.#isDue) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      this.#wake = () => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
    });
  }

  async #sync(pod: Pod, view: PodView, signal: AbortSignal): Promise<void> {
    this.#write(pod, view, false);
    const sandbox = view.sandbox ?? (await this.#runSandbox(pod, signal));
    const delays: number[] = [];
    for (const spec of specsOf(pod)) {
      const latest = latestOf(view, spec.name);
      const isOther = latest !== undefined && latest.annotations["io.kubernetes.container.hash"] !== containerHash(spec);
      if (latest?.state === "CONTAINER_RUNNING" && !isOther) {
        this.#reasons.delete(spec.name);
        continue;
      }
      if (latest?.state === "CONTAINER_RUNNING") {
        await this.#kill({ pod, container: latest, message: `Container ${spec.name} definition changed, will be restarted` }, signal);
      }
      const wish = { pod, spec, view, sandbox, podIP: this.#options.podIP };
      this.#note(spec.name, await this.#options.starter.start(wish, signal), delays);
    }
    this.#retryAfter(delays);
  }

  #note(name: string, outcome: NotStarted | undefined, delays: number[]): void {
    if (outcome === undefined) {
      this.#reasons.delete(name);
      return;
    }
    this.#reasons.set(name, { reason: outcome.reason, message: outcome.message });
    delays.push(outcome.retryInMs);
  }

  #retryAfter(delays: readonly number[]): void {
    this.#cancelRetry();
    if (delays.length > 0) this.#cancelRetry = this.#options.clock.schedule(Math.min(...delays), () => this.wake());
  }

  async #runSandbox(pod: Pod, signal: AbortSignal): Promise<SimSandbox> {
    const { clock, world, sandboxMs = SANDBOX_MS } = this.#options;
    const simPod = simPodOf(pod);
    await clock.sleep(sandboxMs, signal);
    return world.containers.addSandbox({ ...simPod, attempt: 0, labels: sandboxLabels(simPod), annotations: {} });
  }

  async #kill({ pod, container, message }: Killing, signal: AbortSignal): Promise<void> {
    const { api, world } = this.#options;
    api.record(pod, { type: "Normal", reason: "Killing", message, container: container.name });
    await world.containers.stop(container.id, graceSecondsOf(pod) * 1000, signal);
  }

  async #end(pod: Pod, view: PodView, signal: AbortSignal): Promise<void> {
    const { world, relist, clock, api } = this.#options;
    this.#cancelRetry();
    this.#write(pod, view, false);
    const running = view.containers.filter(({ state }) => state === "CONTAINER_RUNNING");
    await Promise.all(running.map((container) => this.#kill({ pod, container, message: `Stopping container ${container.name}` }, signal)));
    const containers = view.containers.map(({ id }) => world.containers.get(id));
    this.#write(pod, { ...view, containers }, true);
    const endedAtMs = clock.monotonicMs();
    const sandboxIds = world.containers.sandboxes().filter(({ uid }) => uid === uidOf(pod));
    for (const { id } of sandboxIds) world.containers.stopSandbox(id);
    await relist.newerThan(uidOf(pod), endedAtMs, signal);
    for (const { id } of sandboxIds) world.containers.removeSandbox(id);
    api.finishDeletion(pod);
  }

  #write(pod: Pod, view: PodView, hasEnded: boolean): void {
    const { clock, podIP, hostIP, api } = this.#options;
    const facts = { view, reasons: this.#reasons, podIP, hostIP, startedAtMs: this.#startedAtMs, nowMs: clock.nowMs(), hasEnded };
    const status = podStatus(pod, { ...facts, previous: this.#written });
    if (JSON.stringify(status) === JSON.stringify(this.#written)) return;
    this.#written = status;
    api.writeStatus(pod, status);
  }
}
