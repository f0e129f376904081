import { isReadinessStale } from "./pod-conditions.js";
import type { Pod, PodStatus } from "../../api/pod.js";
import { jsonEquals } from "../api-server/json.js";
import type { SimContainer, SimSandbox } from "../runtime/entities.js";
import { sandboxLabels } from "../runtime/kubelet-words.js";
import { containerHash } from "./container-hash.js";
import { type Killing, killContainer } from "./container-killer.js";
import type { ContainerStarter, NotStarted } from "./container-starter.js";
import type { KubeletOptions } from "./kubelet.js";
import type { Pace } from "./pace.js";
import { PodProber, type ProberOptions } from "./pod-prober.js";
import { type ContainerSpec, endGraceSecondsOf, graceSecondsOf, latestOf, type PodView, simPodOf, specsOf, uidOf } from "./pod-spec.js";
import { podStatus, type WaitingReason, withProbeResult } from "./pod-status.js";
import type { ProbeType } from "./probe-worker.js";
import type { Relist } from "./relist.js";

export interface WorkerOptions extends KubeletOptions, Omit<ProberOptions, keyof KubeletOptions> {
  readonly random: ProberOptions["random"];
  readonly relist: Relist;
  readonly starter: ContainerStarter;
  readonly pace: Pace;
  /** When to look again after something could not be done: later than asked. */
  readonly retryDelayMs: (wantedMs: number) => number;
}

// Source: spec/recordings, from Scheduled to the first Pulling
const SANDBOX_MS = 400;
// Source: measured on the cluster of test/cluster, beyond what the containers take
const SANDBOX_STOP_MS = 250;

/** The state of one pod on the node: pending to running to gone. It works on one version of the pod at a time, whatever comes meanwhile. */
export class PodWorker {
  readonly #options: WorkerOptions;
  readonly #startedAtMs: number;
  readonly #reasons = new Map<string, WaitingReason>();
  readonly #prober: PodProber;
  #pod: Pod;
  #isGone = false;
  #hasEnded = false;
  #isDue = true;
  #wake: (() => void) | undefined;
  #lastSyncMs = -1;
  #written: PodStatus | undefined;
  #cancelRetry: () => void = () => undefined;

  constructor(pod: Pod, options: WorkerOptions) {
    this.#pod = pod;
    this.#options = options;
    this.#startedAtMs = options.clock.nowMs();
    this.#prober = new PodProber(options, {
      status: () => this.#written,
      pod: () => this.#pod,
      changed: (type, containerId) => this.#takeProbe(type, containerId),
    });
  }

  /** The newest version that has arrived here. */
  get pod(): Pod {
    return this.#pod;
  }

  /** Whether the API server has the pod no more. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Whether nothing is left to do for it, ever. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Takes in a version; acts on it when woken. */
  update(pod: Pod): void {
    this.#pod = pod;
  }

  /** The API server has the pod no more: what runs of it must end. */
  forget(): void {
    this.#isGone = true;
    this.wake();
  }

  /** Says that there is something to do. */
  wake(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  /** Works until the pod is gone. */
  async run(signal: AbortSignal): Promise<void> {
    const { relist, clock, pace } = this.#options;
    try {
      for (;;) {
        await this.#due(signal);
        await pace.step(signal);
        this.#isDue = false;
        // The version is taken before the wait for a look at the runtime: a container that dies meanwhile starts again from it.
        const pod = this.#pod;
        const view = await relist.newerThan(uidOf(pod), this.#lastSyncMs, signal);
        if (this.#isGone || pod.metadata.deletionTimestamp !== undefined) return await this.#end(pod, view, signal);
        await this.#sync(pod, view, signal);
        this.#lastSyncMs = clock.monotonicMs();
      }
    } finally {
      this.#hasEnded = true;
      this.#cancelRetry();
      this.#prober.stop();
    }
  }

  #due(signal: AbortSignal): Promise<void> {
    if (this.#isDue) return Promise.resolve();
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stop = (): void => reject(signal.reason as Error);
      signal.addEventListener("abort", stop, { once: true });
      this.#wake = () => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
    });
  }

  async #sync(pod: Pod, view: PodView, signal: AbortSignal): Promise<void> {
    this.#write(pod, view, false);
    this.#prober.start(signal);
    const sandbox = view.sandbox ?? (await this.#runSandbox(pod, view, signal));
    const kept = new Set(specsOf(pod).filter((spec) => view.sandbox !== undefined && isRunning(latestOf(view, spec.name))));
    for (const spec of [...kept]) {
      const replaced = this.#replacedBy(spec, view);
      if (replaced === undefined) continue;
      kept.delete(spec);
      await this.#options.pace.step(signal);
      await killContainer(this.#options, { pod, graceSeconds: graceSecondsOf(pod), ...replaced }, signal);
    }
    for (const { name } of kept) this.#reasons.delete(name);
    const missing = specsOf(pod).filter((spec) => !kept.has(spec));
    await this.#startAll({ pod, view, sandbox }, missing, signal);
  }

  /** A running container that must make way for another one, and why; undefined: it may stay. */
  #replacedBy(spec: ContainerSpec, view: PodView): Pick<Killing, "container" | "message"> | undefined {
    const container = latestOf(view, spec.name);
    if (container === undefined) return undefined;
    const isOther = container.annotations["io.kubernetes.container.hash"] !== containerHash(spec);
    if (isOther) return { container, message: `Container ${spec.name} definition changed, will be restarted` };
    const hasFailed = this.#prober.hasFailedStartup(container);
    return hasFailed ? { container, message: `Container ${spec.name} failed startup probe, will be restarted` } : undefined;
  }

  async #startAll(
    { pod, view, sandbox }: { pod: Pod; view: PodView; sandbox: SimSandbox },
    specs: readonly ContainerSpec[],
    signal: AbortSignal,
  ): Promise<void> {
    const { pace, starter } = this.#options;
    const podIP = sandbox.ip ?? pod.status?.podIP ?? "";
    const delays: number[] = [];
    for (const spec of specs) {
      const wish = { pod, spec, view, sandbox, podIP, previous: this.#written ?? pod.status };
      await pace.step(signal);
      this.#note(spec.name, await starter.start(wish, signal), delays);
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
    if (delays.length === 0) return;
    const { clock, retryDelayMs } = this.#options;
    this.#cancelRetry = clock.schedule(retryDelayMs(Math.min(...delays)), () => this.wake());
  }

  async #runSandbox(pod: Pod, { lastSandbox, containers }: PodView, signal: AbortSignal): Promise<SimSandbox> {
    const { clock, world, api, nextPodIP, sandboxMs = SANDBOX_MS } = this.#options;
    const simPod = simPodOf(pod);
    if (lastSandbox !== undefined) {
      const message = "Pod sandbox changed, it will be killed and re-created.";
      api.record(pod, { type: "Normal", reason: "SandboxChanged", message });
      await this.#killAll(pod, containers, signal);
      world.containers.stopSandbox(lastSandbox.id);
    }
    await clock.sleep(sandboxMs, signal);
    const attempt = lastSandbox === undefined ? 0 : lastSandbox.attempt + 1;
    return world.containers.addSandbox({ ...simPod, attempt, labels: sandboxLabels(simPod), annotations: {}, ip: nextPodIP() });
  }

  async #killAll(pod: Pod, containers: readonly SimContainer[], signal: AbortSignal): Promise<void> {
    const graceSeconds = endGraceSecondsOf(pod);
    const killings = containers
      .filter(isRunning)
      .map((container) => ({ pod, container, message: `Stopping container ${container.name}`, graceSeconds }));
    await Promise.all(killings.map((killing) => killContainer(this.#options, killing, signal)));
  }

  async #end(pod: Pod, view: PodView, signal: AbortSignal): Promise<void> {
    const { world, relist, clock, api, pace } = this.#options;
    this.#cancelRetry();
    this.#write(pod, view, false);
    this.#prober.stop("startup");
    await this.#killAll(pod, view.containers, signal);
    if (view.sandbox !== undefined) await clock.sleep(SANDBOX_STOP_MS, signal);
    this.#prober.stop();
    const containers = view.containers.flatMap(({ id }) => (world.containers.has(id) ? [world.containers.get(id)] : []));
    const sandboxIds = world.containers.sandboxes().filter(({ uid }) => uid === uidOf(pod));
    for (const { id } of sandboxIds) world.containers.stopSandbox(id);
    this.#write(pod, { ...view, sandbox: undefined, containers }, true);
    await relist.newerThan(uidOf(pod), clock.monotonicMs(), signal);
    await pace.step(signal);
    for (const { id } of sandboxIds) world.containers.removeSandbox(id);
    api.finishDeletion(pod);
  }

  #takeProbe(type: ProbeType, containerId: string): void {
    const { world, clock, api } = this.#options;
    const shown = this.#written?.containerStatuses?.find(({ containerID }) => containerID === `containerd://${containerId}`);
    if (this.#written === undefined || shown === undefined || !world.containers.has(containerId)) return;
    const container = world.containers.get(containerId);
    const set =
      type === "readiness" ? { ready: this.#prober.isReady(container, shown) } : { started: this.#prober.isStarted(container, shown) };
    const next = withProbeResult(this.#pod, this.#written, { containerId, set, nowMs: clock.nowMs() });
    if (!jsonEquals(shown, { ...shown, ...set })) {
      this.#written = next;
      api.writeStatus(this.#pod, next);
    }
    this.wake();
  }

  #write(pod: Pod, view: PodView, hasEnded: boolean): void {
    const { clock, hostIP, api } = this.#options;
    const previous = this.#written ?? pod.status;
    const facts = { view, reasons: this.#reasons, probes: this.#prober, hostIP, startedAtMs: this.#startedAtMs, nowMs: clock.nowMs() };
    const status = podStatus(pod, { ...facts, hasEnded, previous });
    this.#triggerProbes(view, status);
    // What others wrote over Ready is put right even if nothing has changed here; the real kubelet takes up to 10 s for it.
    if (jsonEquals(status, this.#written) && !isReadinessStale(pod)) return;
    this.#written = status;
    api.writeStatus(pod, status);
  }

  /** As the real one does whenever it works out a status, so that a container need not wait for its period. */
  #triggerProbes({ containers }: PodView, { containerStatuses = [] }: PodStatus): void {
    for (const { containerID, started, ready } of containerStatuses) {
      const container = containers.find(({ id }) => containerID === `containerd://${id}`);
      if (started === true && !ready && container !== undefined) this.#prober.trigger(container);
    }
  }
}

function isRunning(container: SimContainer | undefined): boolean {
  return container?.state === "CONTAINER_RUNNING";
}
