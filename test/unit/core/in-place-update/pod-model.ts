import type { ContainerFacts } from "../../../../src/api/node-pod-restart.js";
import type { Container, Pod, PodTemplate } from "../../../../src/api/pod.js";
import { pendingContainers } from "../../../../src/core/in-place-update/pending-containers.js";
import { beginUpdate } from "../../../../src/core/in-place-update/begin.js";
import { withResourceVersion } from "../../../../src/core/in-place-update/change.js";
import { planUpdate } from "../../../../src/core/in-place-update/plan.js";
import { decideRefresh } from "../../../../src/core/in-place-update/refresh.js";
import type { PendingContainer, PodChange, PodPatch, PodStatusPatch } from "../../../../src/core/in-place-update/types.js";
import { expectedEnvHash, metadataEnvs } from "../../../../src/core/values/env-from-metadata.js";
import { plainHash } from "../../../../src/core/values/hash.js";
import { makePod, makeStatus, NOW_MS } from "./fixtures.js";
import { patchPod } from "./strategic-merge.js";

interface Instance {
  readonly id: string;
  readonly restartCount: number;
  readonly image: string;
  readonly envHash: number;
  readonly running: boolean;
}

/**
 * One pod with everything that acts on it, each with its own, possibly old, view: API server, kubelet, agent, controller.
 * Nothing happens by itself; tests call the steps in any order.
 */
export class PodModel {
  pod: Pod;
  nowMs = NOW_MS;
  /** Starts of each container after the first. */
  readonly restarts = new Map<string, number>();
  /** Times that the pod was put into service while a container was not what its metadata and spec ask for. */
  wrongFlips = 0;
  flips = 0;
  readonly #templates: readonly PodTemplate[];
  readonly #instances = new Map<string, Instance>();
  #target = 0;
  #version = 0;
  #kubeletPod: Pod;
  #requests: readonly (PendingContainer & { readonly containerID: string })[] = [];
  #facts: readonly ContainerFacts[] | undefined;
  /** Instances that may have been stopped since the last report (doubted-instances.ts). */
  #doubted: ReadonlySet<string> = new Set();

  constructor(templates: readonly PodTemplate[]) {
    const [first] = templates;
    if (first === undefined) throw new Error("a model needs a template");
    this.#templates = templates;
    this.pod = makePod({ template: first, revision: revisionOf(0), conditions: [{ type: "PodScheduled", status: "True" }], statuses: [] });
    this.#kubeletPod = this.pod;
    this.kubeletSyncs();
    this.kubeletPosts();
    for (let i = 0; i < 4; i++) this.controllerRefreshes();
    this.kubeletPosts();
    this.flips = 0;
  }

  get revision(): string {
    return revisionOf(this.#target);
  }

  newestInstance(container: string): Instance | undefined {
    return this.#instances.get(container);
  }

  /** The workload moves the pod on to a template; like the workload, plans from the revision that the pod's label names. */
  controllerBegins(target: number, graceSeconds: number): void {
    const from = this.#templates.findIndex((_, index) => revisionOf(index) === this.pod.metadata.labels?.["controller-revision-hash"]);
    const to = this.#templates[target];
    if (to === undefined || from === target) return;
    this.#target = target;
    const plan = planUpdate({ pod: this.pod, from: this.#templates[from], to, envFromMetadata: true });
    if (!plan.possible) throw new Error(plan.reason);
    this.#apply(beginUpdate({ pod: this.pod, changes: plan.changes, revision: revisionOf(target), graceSeconds, nowMs: this.nowMs }));
  }

  controllerRefreshes(): string {
    const facts = this.#facts?.filter(({ containerID }) => !this.#doubted.has(containerID));
    const decision = decideRefresh({ pod: this.pod, facts, nowMs: this.nowMs });
    if (decision.type === "broken") throw new Error(decision.message);
    if (decision.type !== "apply") return decision.type;
    this.#apply(decision.change);
    return decision.step;
  }

  /** The node reconciler turns the pending containers into requests, each for the one instance that pod status names. */
  controllerRequests(): void {
    this.#requests = pendingContainers(this.pod).flatMap((pending) => {
      const containerID = this.pod.status?.containerStatuses?.find(({ name }) => name === pending.container)?.containerID;
      return containerID === undefined ? [] : [{ ...pending, containerID }];
    });
    this.#doubted = new Set([...this.#doubted, ...this.#armed().map(({ containerID }) => containerID)]);
  }

  agentStops(): void {
    for (const { container } of this.#armed()) {
      const instance = this.#instances.get(container);
      if (instance !== undefined) this.#instances.set(container, { ...instance, running: false });
    }
  }

  /** The requests that the agent would carry out now. */
  #armed(): readonly (PendingContainer & { readonly containerID: string })[] {
    return this.#requests.filter((request) => {
      const instance = this.#instances.get(request.container);
      if (instance?.id !== request.containerID || !instance.running || instance.envHash === request.expectedEnvHash) return false;
      const isReplaced = plainHash({ name: request.container, image: instance.image }) === request.expectedPlainHash;
      return request.reason === "env" || (request.reason === "both" && isReplaced);
    });
  }

  agentReports(): void {
    this.#doubted = new Set(this.#armed().map(({ containerID }) => containerID));
    this.#facts = [...this.#instances].map(([name, instance]) => ({
      name,
      containerID: instance.id,
      restartCount: instance.restartCount,
      state: instance.running ? "Running" : "Exited",
      plainHash: plainHash({ name, image: instance.image }),
      envHash: instance.envHash,
    }));
  }

  agentFallsSilent(): void {
    this.#facts = undefined;
  }

  kubeletLooks(): void {
    this.#kubeletPod = this.pod;
  }

  /** The kubelet brings the containers in line with the pod as it last saw it. */
  kubeletSyncs(): void {
    for (const container of this.#kubeletPod.spec.containers) {
      const instance = this.#instances.get(container.name);
      if (instance?.running === true && instance.image === container.image) continue;
      this.#start(container, instance);
    }
  }

  kubeletPosts(): void {
    const statuses = [...this.#instances].map(([name, instance]) =>
      makeStatus({
        name,
        containerID: instance.id,
        restartCount: instance.restartCount,
        image: instance.image,
        imageID: `id-of-${instance.image}`,
        ready: instance.running,
      }),
    );
    const allRunning = [...this.#instances.values()].every(({ running }) => running);
    const gate = this.pod.status?.conditions?.find(({ type }) => type === "InPlaceUpdateReady")?.status;
    const condition = (type: string, isTrue: boolean) => ({
      type,
      status: isTrue ? ("True" as const) : ("False" as const),
      lastTransitionTime: "",
    });
    const conditions = [condition("ContainersReady", allRunning), condition("Ready", allRunning && gate === "True")];
    const observedGeneration = this.#kubeletPod.metadata.generation ?? 0;
    const pod = patchPod(this.pod, { metadata: {}, status: { conditions } });
    this.#store({ ...pod, status: { ...pod.status, containerStatuses: statuses, observedGeneration } });
  }

  /** Everybody does their part in a sensible order; the clock moves on. */
  everybodyActs(): string {
    this.nowMs += 1000;
    const step = this.controllerRefreshes();
    this.controllerRequests();
    this.kubeletLooks();
    this.agentStops();
    this.kubeletSyncs();
    this.agentReports();
    this.kubeletPosts();
    return step;
  }

  #start(container: Container, previous: Instance | undefined): void {
    const restartCount = previous === undefined ? 0 : previous.restartCount + 1;
    if (previous !== undefined) this.restarts.set(container.name, restartCount);
    this.#instances.set(container.name, {
      id: `containerd://${container.name}-${restartCount}`,
      restartCount,
      image: container.image ?? "",
      envHash: expectedEnvHash(container, this.#kubeletPod.metadata),
      running: true,
    });
  }

  #apply(change: PodChange): void {
    if (change.statusPatch !== undefined) {
      if (change.statusPatch.status.conditions.some(({ type, status }) => type === "InPlaceUpdateReady" && status === "True"))
        this.#countFlip();
      this.#patch(change.statusPatch);
    }
    if (change.patch !== undefined) {
      this.#patch(
        change.statusPatch === undefined ? change.patch : withResourceVersion(change.patch, this.pod.metadata.resourceVersion ?? ""),
      );
    }
  }

  #countFlip(): void {
    this.flips++;
    const wrong = this.pod.spec.containers.some((container) => {
      const instance = this.#instances.get(container.name);
      const hasWrongEnv = metadataEnvs(container).length > 0 && instance?.envHash !== expectedEnvHash(container, this.pod.metadata);
      return instance?.image !== container.image || hasWrongEnv;
    });
    if (wrong) this.wrongFlips++;
  }

  #patch(patch: PodPatch | PodStatusPatch): void {
    if (patch.metadata.resourceVersion !== this.pod.metadata.resourceVersion) throw new Error("conflict: the patch is for another version");
    this.#store(patchPod(this.pod, patch));
  }

  #store(pod: Pod): void {
    const isSpecChange = JSON.stringify(pod.spec) !== JSON.stringify(this.pod.spec);
    const generation = (this.pod.metadata.generation ?? 1) + (isSpecChange ? 1 : 0);
    this.pod = { ...pod, metadata: { ...pod.metadata, generation, resourceVersion: String(++this.#version) } };
  }
}

function revisionOf(index: number): string {
  return `web-rev${index}`;
}
