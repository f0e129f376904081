import type { AgentDependencies } from "../../../../src/agent/dependencies.js";
import type { NodePodRestart, PodRestart } from "../../../../src/api/node-pod-restart.js";
import type { KubeClient, PatchRequest } from "../../../../src/kube/client.js";
import type { EventFact } from "../../../../src/kube/event-recorder.js";
import type { Informer } from "../../../../src/kube/informer.js";
import type { ContainerRuntime } from "../../../../src/cri/runtime.js";
import { OperationError } from "../../../../src/lib/failure.js";
import { silentLogger } from "../../../../src/lib/logger.js";
import { silentMetrics } from "../../../../src/lib/metrics.js";
import { FakeClock } from "../../../support/fake-clock.js";

export const NODE = "node-a";

/** The node's object behind a client whose next answers can be spoilt, and the agent's cache of it, which may lag. */
export class ObjectModel {
  stored: NodePodRestart;
  cached: NodePodRestart | undefined;
  readonly writtenAtMs: number[] = [];
  /** What the next patches end with, after (`applied`) or instead of being carried out. */
  readonly spoilt: { readonly error: OperationError; readonly applied: boolean }[] = [];
  readonly clock = new FakeClock();

  constructor(podRestarts: readonly PodRestart[] = []) {
    this.stored = { metadata: { name: NODE, generation: 1, resourceVersion: "1", uid: "npr-uid" }, spec: { podRestarts } };
    this.cached = this.stored;
  }

  readonly client = {
    patch: async (_resource: unknown, { body }: PatchRequest) => {
      const spoilt = this.spoilt.shift();
      if (spoilt === undefined || spoilt.applied) this.#write(body as Partial<NodePodRestart>);
      if (spoilt !== undefined) throw spoilt.error;
      return this.stored;
    },
    get: async () => this.stored,
  } as unknown as KubeClient;

  readonly informer = {
    store: { get: () => this.cached },
    waitForSync: () => Promise.resolve(),
    applyWrite: (object: NodePodRestart) => {
      this.cached = object;
    },
  } as unknown as Informer<NodePodRestart>;

  #write(body: Partial<NodePodRestart>): void {
    if (body.metadata?.resourceVersion !== this.stored.metadata.resourceVersion) throw failure("conflict");
    this.writtenAtMs.push(this.clock.monotonicMs());
    this.touch(body.status);
  }

  /** A new version of the object, by whomever. */
  touch(status: NodePodRestart["status"] = this.stored.status): void {
    const resourceVersion = String(Number(this.stored.metadata.resourceVersion) + 1);
    const { metadata, spec } = this.stored;
    this.stored = { metadata: { ...metadata, resourceVersion }, spec, ...(status === undefined ? {} : { status }) };
  }
}

export function failure(kind: OperationError["kind"]): OperationError {
  return new OperationError(kind, `TEST_${kind.toUpperCase()}`, `Cannot do "it": ${kind}`);
}

export function makeDeps(
  model: ObjectModel,
  runtime: Partial<ContainerRuntime> = {},
): AgentDependencies & { readonly recorded: EventFact[] } {
  const recorded: EventFact[] = [];
  return {
    nodeName: NODE,
    client: model.client,
    runtime: runtime as ContainerRuntime,
    images: {} as never,
    events: { record: (fact) => void recorded.push(fact) },
    gates: { isEnabled: () => true },
    clock: model.clock,
    random: { next: () => 0, hex: () => "" },
    logger: silentLogger,
    metrics: silentMetrics,
    informers: { nodePodRestarts: model.informer, nodeImages: {} as never },
    recorded,
  };
}
