import type { Condition } from "../../src/api/meta.js";
import type { ContainerStatus, Pod } from "../../src/api/pod.js";
import { NODES, PODS } from "../../src/api/resources.js";
import type { ApiState } from "../../src/sim/api-server/api-state.js";

const STRATEGIC = "application/strategic-merge-patch+json";

/** What the kubelet of a test does with a pod whenever it changes. */
export interface ModelKubeletOptions {
  /** Images that cannot be pulled. */
  readonly missingImages?: readonly string[];
}

/** Schedules pods, starts their containers, restarts those whose image changed, and keeps Ready by the gates. */
export class ModelKubelet {
  readonly #state: ApiState;
  readonly #missingImages: readonly string[];
  /** While true, nothing happens to pods. */
  isPaused = false;
  readonly #started = new Map<string, number>();

  constructor(state: ApiState, options: ModelKubeletOptions = {}) {
    this.#state = state;
    this.#missingImages = options.missingImages ?? [];
  }

  /** Brings one pod up to date with its spec; harmless to call at any time. */
  sync(pod: Pod): void {
    if (this.isPaused || pod.metadata.deletionTimestamp !== undefined) return;
    const address = { namespace: pod.metadata.namespace, name: pod.metadata.name };
    if (!this.#state.list(PODS, pod.metadata.namespace).some((object) => object.metadata.uid === pod.metadata.uid)) return;
    const current = this.#state.get(PODS, address) as unknown as Pod;
    if (current.metadata.deletionTimestamp !== undefined) return;
    if (current.spec.nodeName === undefined) {
      this.#state.patch(PODS, address, { contentType: STRATEGIC, body: { spec: { nodeName: "node1" } } });
    }
    const status = this.#statusOf(current);
    if (JSON.stringify(status) === JSON.stringify(pickStatus(current))) return;
    this.#state.patch(PODS, address, { contentType: STRATEGIC, body: { status }, subresource: "status" });
  }

  /** Brings all pods up to date. */
  syncAll(): void {
    for (const pod of this.#state.list(PODS)) this.sync(pod as unknown as Pod);
  }

  /** A container ended and came back: a new instance from the same spec. */
  restart(pod: Pod, container: string): void {
    this.#started.set(this.#key(pod, container), this.#instance(pod, container) + 1);
    this.sync(pod);
  }

  #statusOf(pod: Pod): ReturnType<typeof pickStatus> {
    const containerStatuses = pod.spec.containers.map(({ name, image = "" }) => this.#containerStatus(pod, name, image));
    const isRunning = containerStatuses.every(({ ready }) => ready);
    const gates = pod.spec.readinessGates ?? [];
    const isOpen = gates.every(({ conditionType }) => conditionOf(pod, conditionType)?.status === "True");
    return {
      phase: isRunning || pod.status?.phase === "Running" ? "Running" : "Pending",
      conditions: [
        this.#condition(pod, "PodScheduled", true),
        this.#condition(pod, "ContainersReady", isRunning),
        this.#condition(pod, "Ready", isRunning && isOpen),
      ],
      containerStatuses,
    };
  }

  #containerStatus(pod: Pod, name: string, image: string): ContainerStatus {
    const before = pod.status?.containerStatuses?.find((status) => status.name === name);
    if (this.#missingImages.includes(image)) {
      const state = { waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image "${image}"` } };
      return { name, ready: false, restartCount: before?.restartCount ?? 0, image, imageID: before?.imageID ?? "", state };
    }
    if (before?.containerID !== undefined && before.image !== image) {
      this.#started.set(this.#key(pod, name), this.#instance(pod, name) + 1);
    }
    const instance = this.#instance(pod, name);
    return {
      name,
      ready: true,
      restartCount: instance,
      image,
      imageID: imageIdOf(image),
      containerID: `containerd://${pod.metadata.name}-${name}-${instance}`,
      state: { running: { startedAt: "2026-01-02T03:04:05Z" } },
    };
  }

  #condition(pod: Pod, type: string, isTrue: boolean): Condition {
    const status = isTrue ? "True" : "False";
    const before = conditionOf(pod, type);
    const now = `${new Date(this.#state.clock.nowMs()).toISOString().slice(0, 19)}Z`;
    return { type, status, lastTransitionTime: before?.status === status ? (before.lastTransitionTime ?? now) : now };
  }

  #instance(pod: Pod, container: string): number {
    return this.#started.get(this.#key(pod, container)) ?? 0;
  }

  #key(pod: Pod, container: string): string {
    return `${pod.metadata.uid ?? ""}/${container}`;
  }
}

function imageIdOf(image: string): string {
  const digest = Buffer.from(image).toString("hex").padStart(64, "0").slice(-64);
  return `${image.replace(/:[^:/]*$/, "")}@sha256:${digest}`;
}

function pickStatus(pod: Pod): {
  readonly phase: string;
  readonly conditions: readonly Condition[];
  readonly containerStatuses: readonly ContainerStatus[];
} {
  const own = ["PodScheduled", "ContainersReady", "Ready"].flatMap((type) => conditionOf(pod, type) ?? []);
  return { phase: pod.status?.phase ?? "", conditions: own, containerStatuses: pod.status?.containerStatuses ?? [] };
}

function conditionOf(pod: Pod, type: string): Condition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** The node that the model kubelet runs on. */
export function createModelNode(state: ApiState): void {
  state.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "node1" } });
}
