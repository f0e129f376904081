import type { CloneSet } from "../../src/api/clone-set.js";
import type { ImagePullJob } from "../../src/api/image-pull-job.js";
import type { Pod } from "../../src/api/pod.js";
import { CLONE_SETS, IMAGE_PULL_JOBS, PODS } from "../../src/api/resources.js";
import { ApiState } from "../../src/sim/api-server/api-state.js";
import { serveApi } from "./api-host.js";
import { serveCalls } from "./calls.js";
import { Nodes } from "./nodes.js";
import { bindPods } from "./pod-binder.js";
import type { ApiAccess } from "./product-process.js";
import { annotationChange, cloneSet, type CloneSetShape, NAMESPACE } from "./workload.js";
import { countWrites, type Write, type WriteCounts, WriteLog } from "./write-log.js";
import { untilObjects } from "./until-objects.js";

/** How a job or a rollout went, as the API server saw it. */
export interface Outcome {
  readonly tookMs: number;
  readonly writes: WriteCounts;
  /** From the first to the last write of ours. Units: milliseconds */
  readonly busyMs: number;
}

export interface JobOutcome extends Outcome {
  readonly status: ImagePullJob["status"];
  /** Of the job's own status, a second. */
  readonly statusWritesPerSecond: number;
}

const MERGE = "application/merge-patch+json";
const state = new ApiState();
const writes = new WriteLog();
const nodes = new Nodes(state);

/** The process that is the API server, and everything the bench does through it. */
const methods = {
  async start(_params: undefined): Promise<ApiAccess> {
    nodes.beat();
    return serveApi(state, writes);
  },

  addNodes({ names }: { readonly names: readonly string[] }): void {
    nodes.add(names);
  },

  bindPods({ names }: { readonly names: readonly string[] }): void {
    bindPods(state, names);
  },

  /** Waits until every node has as many objects of each of these kinds as there are nodes. */
  async untilNodesHave({ resources }: { readonly resources: readonly Parameters<ApiState["kind"]>[0][] }): Promise<void> {
    const count = (resource: Parameters<ApiState["kind"]>[0]): number => state.database.all(state.kind(resource)).length;
    while (resources.some((resource) => count(resource) < nodes.names.length)) await new Promise((resolve) => setTimeout(resolve, 50));
  },

  clearWrites(_params: undefined): void {
    writes.clear();
  },

  writes(_params: undefined): readonly Write[] {
    return writes.all();
  },

  countWrites(_params: undefined): WriteCounts {
    return countWrites(writes.all());
  },

  /** Creates a job for all nodes, and waits for its end. */
  async runJob({ name, image }: { readonly name: string; readonly image: string }): Promise<JobOutcome> {
    writes.clear();
    const spec = { image, parallelism: nodes.names.length, completionPolicy: { type: "Always" } };
    const job = { apiVersion: "apps.kruise.io/v1beta1", kind: "ImagePullJob", metadata: { name, namespace: NAMESPACE }, spec };
    const hasEnded = (object: ImagePullJob): boolean => object.metadata.name === name && object.status?.completionTime !== undefined;
    const startMs = performance.now();
    const ended = untilObjects<ImagePullJob>(state, IMAGE_PULL_JOBS, { count: 1, isDone: hasEnded });
    state.create(IMAGE_PULL_JOBS, job, NAMESPACE);
    const [last] = await ended;
    const outcome = outcomeSince(startMs);
    const own = writes.all().filter((write) => write.plural === IMAGE_PULL_JOBS.plural && write.name === name);
    const seconds = Math.max(1, outcome.tookMs / 1000);
    // The finalizer is one write of the job's metadata.
    return { ...outcome, status: last?.status, statusWritesPerSecond: (own.length - 2) / seconds };
  },

  /** Creates CloneSets, and waits until all their pods are ready. */
  async createSets({ shapes }: { readonly shapes: readonly CloneSetShape[] }): Promise<Outcome> {
    writes.clear();
    const startMs = performance.now();
    const done = untilSets(shapes, "");
    for (const shape of shapes) state.create(CLONE_SETS, cloneSet(shape), NAMESPACE);
    await done;
    return outcomeSince(startMs);
  },

  /** Gives the annotation of CloneSets another value, all at the same moment, and waits until all their pods have it and are ready. */
  async updateSets({ shapes, value }: { readonly shapes: readonly CloneSetShape[]; readonly value: string }): Promise<Outcome> {
    writes.clear();
    const startMs = performance.now();
    for (const { name } of shapes)
      state.patch(CLONE_SETS, { namespace: NAMESPACE, name }, { contentType: MERGE, body: annotationChange(value) });
    await untilSets(shapes, value);
    return outcomeSince(startMs);
  },

  pods(_params: undefined): readonly { readonly namespace: string; readonly name: string; readonly node: string }[] {
    return (state.list(PODS) as unknown as readonly Pod[]).map(({ metadata, spec }) => {
      return { namespace: metadata.namespace ?? "", name: metadata.name, node: spec.nodeName ?? "" };
    });
  },
};

export type ApiMethods = typeof methods;
serveCalls(methods);

function outcomeSince(startMs: number): Outcome {
  const own = writes.all().filter(({ actor }) => actor === "controller" || actor === "agent");
  const busyMs = (own.at(-1)?.atMs ?? 0) - (own[0]?.atMs ?? 0);
  return { tookMs: performance.now() - startMs, writes: countWrites(writes.all()), busyMs };
}

async function untilSets(shapes: readonly CloneSetShape[], value: string): Promise<void> {
  const wanted = new Map(shapes.map(({ name, replicas }) => [name, replicas]));
  await untilObjects<CloneSet>(state, CLONE_SETS, {
    count: wanted.size,
    isDone({ metadata, spec, status }) {
      const replicas = wanted.get(metadata.name);
      const isNew = value === "" || spec.template.metadata?.annotations?.["config"] === value;
      const isSeen = isNew && status?.observedGeneration === metadata.generation;
      return replicas !== undefined && isSeen && status?.updatedReadyReplicas === replicas && status.replicas === replicas;
    },
  });
}
