import type { ImagePullJob } from "../../api/image-pull-job.js";
import type { ObjectReference } from "../../api/meta.js";
import type { NodeImage } from "../../api/node-image.js";
import { IMAGE_PULL_JOBS } from "../../api/resources.js";
import { assignTag, refreshTag, type TagRequest } from "../../core/image-pull-job/assign-tag.js";
import type { JobPlan } from "../../core/image-pull-job/decide-job.js";
import type { NodeFailure } from "../../core/image-pull-job/job-tally.js";
import type { JobSettings } from "../../core/image-pull-job/job-settings.js";
import { tagPullPolicy } from "../../core/image-pull-job/tag-policy.js";
import { toRfc3339Seconds } from "../../core/values/timestamps.js";
import type { Informer } from "../../kube/informer.js";
import type { Clock } from "../../lib/clock.js";
import { failureKind, failureMessage } from "../../lib/failure.js";
import type { Random } from "../../lib/random.js";
import { jobKeyOf } from "../node-image/indexers.js";
import type { NodeImageWriter } from "./node-image-writer.js";

export interface AssignmentOptions {
  readonly writer: NodeImageWriter;
  readonly imagePullJobs: Informer<ImagePullJob>;
  readonly clock: Clock;
  readonly random: Random;
}

/** NodeImages of one job written side by side. */
const PARALLEL_WRITES = 32;

/** What came of asking nodes. */
export interface AssignmentResult {
  /** Nodes whose NodeImage the API server would not change in this way; they will never take the request. */
  readonly refused: readonly NodeFailure[];
  /** The first failure that another try may heal. */
  readonly failure: unknown;
}

/** Asks the nodes that a plan names. One node's failure keeps no other from being asked. @throws signal.reason only */
export async function applyAssignments(
  options: AssignmentOptions,
  { job, settings, plan }: { job: ImagePullJob; settings: JobSettings; plan: JobPlan },
  signal: AbortSignal,
): Promise<AssignmentResult> {
  const request = (): TagRequest => requestOf(job, settings, options);
  const changes = [
    ...plan.assign.map((node) => ({ node, change: (current: NodeImage) => assignTag(current, request()) })),
    ...plan.refresh.map((node) => ({ node, change: (current: NodeImage) => refreshTag(current, request()) })),
  ];
  const refused: NodeFailure[] = [];
  const failures: unknown[] = [];
  await runSideBySide(changes, async ({ node, change }) => {
    try {
      await options.writer.change(node, change, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (failureKind(error) === "invalid") refused.push({ node, message: failureMessage(error) });
      else failures.push(error);
    }
  });
  return { refused, failure: failures[0] };
}

/** The reference to a job in the owners of a tag, and in events. */
export function referenceTo({ metadata: { name, namespace, uid } }: ImagePullJob): ObjectReference {
  const { group, version, kind } = IMAGE_PULL_JOBS;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
  };
}

function requestOf(job: ImagePullJob, settings: JobSettings, { clock, random, imagePullJobs }: AssignmentOptions): TagRequest {
  return {
    owner: referenceTo(job),
    image: settings.image,
    tag: settings.tag,
    imagePullPolicy: settings.imagePullPolicy,
    pullPolicy: tagPullPolicy(settings, random.next()),
    sandboxConfig: job.spec.sandboxConfig,
    createdAt: toRfc3339Seconds(clock.nowMs()),
    isDone: (owner) => isDone(owner, imagePullJobs),
  };
}

function isDone(owner: ObjectReference, jobs: Informer<ImagePullJob>): boolean {
  const key = jobKeyOf(owner);
  if (key === undefined) return false;
  const job = jobs.store.get(key);
  return job?.metadata.uid !== owner.uid || job?.status?.completionTime !== undefined;
}

async function runSideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_WRITES, items.length) }, lane));
}
