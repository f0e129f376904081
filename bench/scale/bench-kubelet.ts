import type { Condition } from "../../src/api/meta.js";
import type { Container, ContainerStatus, Pod, PodStatus } from "../../src/api/pod.js";
import { PODS } from "../../src/api/resources.js";
import type { KubeClient } from "../../src/kube/client.js";
import type { Clock } from "../../src/lib/clock.js";
import { failureKind } from "../../src/lib/failure.js";
import type { Random } from "../../src/lib/random.js";
import { containerHash } from "../../src/sim/kubelet/container-hash.js";
import type { SimContainer } from "../../src/sim/runtime/entities.js";
import type { RuntimeWorld } from "../../src/sim/runtime/runtime-world.js";
import type { Lanes } from "./lanes.js";
import { NEVER } from "./never.js";

export interface BenchKubeletOptions {
  readonly client: KubeClient;
  readonly world: RuntimeWorld;
  readonly clock: Clock;
  readonly random: Random;
  /** Shared by all kubelets that share a connection. */
  readonly lanes: Lanes;
}

const RELIST_MS = 1_000;
const ANNOTATION_PATH = /^metadata\.annotations\['(.*)'\]$/;

interface Held {
  pod: Pod;
  readonly sandboxId: string;
  /** The newest instances by container. */
  readonly containers: Map<string, SimContainer>;
  /** The same as the last look has seen them. */
  readonly seen: Map<string, SimContainer>;
  written: PodStatus | undefined;
  isWriting: boolean;
}

/**
 * The least of a kubelet that an update in place needs, cheap enough for ten thousand pods: starts containers at once, looks at the runtime
 * once a second, restarts what has ended with the pod's values of then, and writes the same statuses as the real one.
 */
export class BenchKubelet {
  readonly #options: BenchKubeletOptions;
  readonly #pods = new Map<string, Held>();
  /** Pods that the next look concerns. */
  #due = new Set<string>();

  constructor(options: BenchKubeletOptions) {
    this.#options = options;
    const { world, clock, random } = options;
    world.containers.watch(({ type, container }) => {
      if (type === "CONTAINER_STOPPED_EVENT") this.#due.add(container.labels["io.kubernetes.pod.uid"] ?? "");
    });
    const look = (): void => {
      this.#look();
      clock.schedule(RELIST_MS, look);
    };
    clock.schedule(random.next() * RELIST_MS, look);
  }

  /** Takes in a version of a pod, or its end. */
  take(pod: Pod, isGone: boolean): void {
    const { uid = "" } = pod.metadata;
    const held = this.#pods.get(uid);
    if (isGone || pod.metadata.deletionTimestamp !== undefined) {
      this.#end(pod, isGone);
      return;
    }
    if (held === undefined) {
      this.#begin(pod);
      return;
    }
    held.pod = pod;
    void this.#write(held);
  }

  #begin(pod: Pod): void {
    const { world } = this.#options;
    const { namespace = "", name, uid = "" } = pod.metadata;
    const simPod = { namespace, name, uid };
    const sandbox = world.containers.addSandbox({ ...simPod, attempt: 0, labels: {}, annotations: {} });
    const held: Held = { pod, sandboxId: sandbox.id, containers: new Map(), seen: new Map(), written: undefined, isWriting: false };
    this.#pods.set(uid, held);
    for (const container of pod.spec.containers) this.#run(held, container, 0);
    this.#due.add(uid);
  }

  #run(held: Held, container: Container, restartCount: number): void {
    const { namespace = "", name, uid = "" } = held.pod.metadata;
    const { image = "" } = container;
    const envs = (container.env ?? []).map((entry) => ({ key: entry.name, value: valueOf(entry, held.pod) }));
    const described = { name: container.name, restartCount, hash: containerHash(container), image, envs };
    held.containers.set(container.name, this.#options.world.runContainer({ id: held.sandboxId }, { namespace, name, uid }, described));
  }

  #look(): void {
    const due = this.#due;
    this.#due = new Set();
    for (const uid of due) {
      const held = this.#pods.get(uid);
      if (held !== undefined) void this.#sync(held, uid);
    }
  }

  async #sync(held: Held, uid: string): Promise<void> {
    for (const container of held.pod.spec.containers) {
      const { id = "" } = held.containers.get(container.name) ?? {};
      const instance = this.#options.world.containers.get(id);
      const before = held.seen.get(container.name);
      held.seen.set(container.name, instance);
      if (before !== undefined && before.id !== id) this.#options.world.containers.remove(before.id);
      if (instance.state === "CONTAINER_RUNNING") continue;
      if (!(await this.#refresh(held))) {
        this.#due.add(uid); // the next look tries again
        continue;
      }
      this.#run(held, container, instance.attempt + 1);
      this.#due.add(uid); // the next look sees it run
    }
    void this.#write(held);
  }

  /** A machine that is many nodes hears of changes later than one: too late, and containers would start with values of before. */
  async #refresh(held: Held): Promise<boolean> {
    const { name, namespace = "" } = held.pod.metadata;
    const { client, lanes } = this.#options;
    try {
      held.pod = await lanes.run(() => client.get<Pod>(PODS, { name, namespace }, NEVER));
      return true;
    } catch {
      return false;
    }
  }

  #end(pod: Pod, isGone: boolean): void {
    const { uid = "", name, namespace = "" } = pod.metadata;
    const held = this.#pods.get(uid);
    this.#pods.delete(uid);
    if (held !== undefined) this.#options.world.containers.removeSandbox(held.sandboxId);
    if (isGone) return;
    const request = { target: { name, namespace }, options: { gracePeriodSeconds: 0, uid } };
    this.#options.client.delete(PODS, request, NEVER).catch(ignoreMissing);
  }

  /** One write of a pod at a time, each with what is so when it begins. */
  async #write(held: Held): Promise<void> {
    if (held.isWriting) return;
    held.isWriting = true;
    try {
      for (let status = this.#news(held); status !== undefined; status = this.#news(held)) {
        held.written = status;
        const { name, namespace = "" } = held.pod.metadata;
        const request = { target: { name, namespace }, type: "strategic", subresource: "status", body: { status } } as const;
        await this.#options.lanes.run(() => this.#options.client.patch<Pod>(PODS, request, NEVER));
      }
    } catch {
      held.written = undefined;
      this.#due.add(held.pod.metadata.uid ?? ""); // the next look tries again
    } finally {
      held.isWriting = false;
    }
  }

  #news(held: Held): PodStatus | undefined {
    const status = statusOf(held, this.#options.clock.nowMs());
    return JSON.stringify(status) === JSON.stringify(held.written) ? undefined : status;
  }
}

function valueOf({ value, valueFrom }: NonNullable<Container["env"]>[number], { metadata }: Pod): string {
  const key = ANNOTATION_PATH.exec(valueFrom?.fieldRef?.fieldPath ?? "")?.[1];
  return key === undefined ? (value ?? "") : (metadata.annotations?.[key] ?? "");
}

function statusOf({ pod, seen, written }: Held, nowMs: number): PodStatus {
  const containerStatuses = pod.spec.containers.map((container) => containerStatus(container, seen.get(container.name)));
  const isRunning = containerStatuses.every(({ ready }) => ready);
  const isOpen = (pod.spec.readinessGates ?? []).every(({ conditionType }) => {
    return pod.status?.conditions?.find(({ type }) => type === conditionType)?.status === "True";
  });
  const verdicts = { PodScheduled: true, Initialized: true, ContainersReady: isRunning, Ready: isRunning && isOpen };
  const conditions = Object.entries(verdicts).map(([type, isTrue]): Condition => {
    const status = isTrue ? "True" : "False";
    const before = written?.conditions?.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? "") : timeText(nowMs);
    return { type, status, lastTransitionTime };
  });
  const phase = isRunning || written?.phase === "Running" ? "Running" : "Pending";
  return { phase, observedGeneration: pod.metadata.generation ?? 1, conditions, podIP: "10.99.0.1", containerStatuses };
}

function containerStatus({ name, image = "" }: Container, instance: SimContainer | undefined): ContainerStatus {
  if (instance === undefined) {
    return { name, ready: false, started: false, restartCount: 0, image, imageID: "", state: { waiting: { reason: "ContainerCreating" } } };
  }
  const isRunning = instance.state === "CONTAINER_RUNNING";
  const { attempt, imageRef, id, exitCode, reason } = instance;
  const startedAt = timeText(Number(instance.startedAtNs / 1_000_000n));
  const finishedAt = timeText(Number(instance.finishedAtNs / 1_000_000n));
  const state = isRunning ? { running: { startedAt } } : { terminated: { exitCode, reason, startedAt, finishedAt } };
  const common = { name, ready: isRunning, started: isRunning, restartCount: attempt, image, imageID: imageRef };
  return { ...common, containerID: `containerd://${id}`, state };
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function ignoreMissing(error: unknown): void {
  if (failureKind(error) !== "missing") throw error;
}
