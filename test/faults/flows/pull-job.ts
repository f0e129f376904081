import type { ImagePullJob } from "../../../src/api/image-pull-job.js";
import { IMAGE_PULL_JOBS } from "../../../src/api/resources.js";
import type { Entry } from "../journal.js";
import type { SimCluster } from "../cluster/sim-cluster.js";
import type { Flow } from "./flow.js";
import { NAMESPACE, publishImages } from "./workload.js";

/** Images are pulled on every node before anybody needs them. */
export const pullJob: Flow = {
  name: "pull-job",
  steps: ["request-pull", "look-for-image", "pull-image", "report-pull", "write-job-status"],
  prepare: publishImages,
  edit(cluster, { version }) {
    const name = `pull-${String(version)}`;
    if (jobsOf(cluster).some(({ metadata }) => metadata.name === name)) return;
    cluster.journal.add({ type: "user", action: "creates job", subject: name });
    cluster.state.create(IMAGE_PULL_JOBS, manifest(name, imageOf(version)), NAMESPACE);
  },
  problems: (cluster) => jobsOf(cluster).flatMap((job) => jobProblems(cluster, job)),
  allowanceMs: ({ nodeCount }) => nodeCount * 6_000,
};

function manifest(name: string, image: string): object {
  return {
    apiVersion: `${IMAGE_PULL_JOBS.group}/${IMAGE_PULL_JOBS.version}`,
    kind: "ImagePullJob",
    metadata: { name, namespace: NAMESPACE },
    spec: { image, parallelism: 1, pullPolicy: { backoffLimit: 5, timeoutSeconds: 60 }, completionPolicy: { type: "Always" } },
  };
}

function imageOf(version: number): string {
  return `lab.local/app:v${String(version)}`;
}

function jobsOf({ state }: SimCluster): readonly ImagePullJob[] {
  return state.list(IMAGE_PULL_JOBS, NAMESPACE) as unknown as readonly ImagePullJob[];
}

function wasNodeDeleted(entry: Entry): boolean {
  return entry.type === "object" && entry.plural === "nodes" && entry.change === "DELETED";
}

function jobProblems({ nodes, journal }: SimCluster, { metadata, spec, status }: ImagePullJob): readonly string[] {
  const named = (problem: string): string => `job "${metadata.name}" ${problem}`;
  if (status?.completionTime === undefined) return [named(`is not complete: ${String(status?.succeeded)} of ${String(status?.desired)}`)];
  if (status.succeeded !== status.desired)
    return [named(`succeeded on ${String(status.succeeded)} of ${String(status.desired)} nodes: ${status.message ?? ""}`)];
  // A node that is taken out of the cluster for a while need not have it.
  if (status.desired < nodes.length && journal.entries.some(wasNodeDeleted)) return [];
  return nodes
    .filter(({ world }) => world.images.find(spec.image) === undefined)
    .map(({ name }) => named(`is complete, but ${name} has no image`));
}
