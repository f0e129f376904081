import type { ImagePullJob } from "../../../src/api/image-pull-job.js";
import { IMAGE_PULL_JOBS } from "../../../src/api/resources.js";
import type { Entry } from "../journal.js";
import type { SimCluster } from "../cluster/sim-cluster.js";
import type { Flow } from "./flow.js";
import { NAMESPACE, publishImages } from "./workload.js";

/** Longer than faults can keep an agent silent: a node that does not answer is given up after that. */
const ANSWERED_WITHIN_SECONDS = 180;
const MISSING_IMAGE = "lab.local/app:no-such-version";

/** Images are pulled on every node before anybody needs them. */
export const pullJob: Flow = {
  name: "pull-job",
  steps: ["request-pull", "look-for-image", "pull-image", "report-pull", "write-job-status"],
  seasonsFrom: 0,
  prepare(cluster, { shape }) {
    publishImages(cluster);
    if (shape.isSeasoned) askForMissingImage(cluster);
  },
  edit(cluster, { version }) {
    createJob(cluster, `pull-${String(version)}`, { image: imageOf(version), backoffLimit: 5 });
  },
  problems: (cluster) => jobsOf(cluster).flatMap((job) => jobProblems(cluster, job)),
  allowanceMs: ({ nodeCount }) => nodeCount * 6_000,
};

/** A job for an image that no registry has: every node tells that it could not pull it, once. */
export function askForMissingImage(cluster: SimCluster): void {
  createJob(cluster, "pull-missing", { image: MISSING_IMAGE, backoffLimit: 1 });
}

interface JobOptions {
  readonly image: string;
  readonly backoffLimit: number;
}

function createJob(cluster: SimCluster, name: string, { image, backoffLimit }: JobOptions): void {
  if (jobsOf(cluster).some(({ metadata }) => metadata.name === name)) return;
  cluster.journal.add({ type: "user", action: "creates job", subject: name });
  const body = {
    apiVersion: `${IMAGE_PULL_JOBS.group}/${IMAGE_PULL_JOBS.version}`,
    kind: "ImagePullJob",
    metadata: { name, namespace: NAMESPACE },
    spec: {
      image,
      parallelism: 1,
      pullPolicy: { backoffLimit, timeoutSeconds: ANSWERED_WITHIN_SECONDS },
      completionPolicy: { type: "Always" },
    },
  };
  cluster.state.create(IMAGE_PULL_JOBS, body, NAMESPACE);
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
  if (spec.image === MISSING_IMAGE)
    return status.failed === status.desired ? [] : [named(`failed on ${String(status.failed)} of ${String(status.desired)} nodes`)];
  if (status.succeeded !== status.desired)
    return [named(`succeeded on ${String(status.succeeded)} of ${String(status.desired)} nodes: ${status.message ?? ""}`)];
  // A node that is taken out of the cluster for a while need not have it.
  if (status.desired < nodes.length && journal.entries.some(wasNodeDeleted)) return [];
  return nodes
    .filter(({ world }) => world.images.find(spec.image) === undefined)
    .map(({ name }) => named(`is complete, but ${name} has no image`));
}
