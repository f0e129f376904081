import type { ImagePullJob } from "../../api/image-pull-job.js";
import type { ObjectReference } from "../../api/meta.js";
import type { ImageTagSpec, ImageTagStatus, NodeImage } from "../../api/node-image.js";
import { IMAGE_PULL_JOBS } from "../../api/resources.js";
import { statusOfTag } from "../image-pull/wanted-pulls.js";
import { nameAndTag, parseImageReference } from "../values/image-reference.js";

/** One tag of one node, with what the node says about this version of it. */
export interface TagOnNode {
  readonly node: string;
  readonly image: string;
  readonly spec: ImageTagSpec;
  readonly status: ImageTagStatus | undefined;
}

/** How a pull ended. */
export type PullEndPhase = "Succeeded" | "Failed";

/** Finds a tag of a NodeImage; undefined when nobody asks for it. */
export function tagOnNode(nodeImage: NodeImage, image: string, tag: string): TagOnNode | undefined {
  const spec = nodeImage.spec?.images?.[image]?.tags.find((entry) => entry.tag === tag);
  if (spec === undefined) return undefined;
  return { node: nodeImage.metadata.name, image, spec, status: statusOfTag(nodeImage.status, image, spec) };
}

/** How the current round of a tag ended; undefined while it goes on. */
export function endOf(tag: TagOnNode): PullEndPhase | undefined {
  const phase = tag.status?.phase;
  return phase === "Succeeded" || phase === "Failed" ? phase : undefined;
}

/** Whether the owner is an ImagePullJob, of whatever version. */
export function isJobReference(owner: ObjectReference): boolean {
  return owner.kind === IMAGE_PULL_JOBS.kind && (owner.apiVersion ?? "").startsWith(`${IMAGE_PULL_JOBS.group}/`);
}

/**
 * How the owner's own round ended, if a later round was begun for somebody else since then.
 *
 * The mark lives in the reference's `fieldPath`, which has no other meaning here, so that one object holds the whole truth.
 * Source: ours.
 */
export function markedEnd(owner: ObjectReference): PullEndPhase | undefined {
  return owner.fieldPath === "Succeeded" || owner.fieldPath === "Failed" ? owner.fieldPath : undefined;
}

/** The owner with the end of its round noted; an earlier note stays. */
export function markEnd(owner: ObjectReference, end: PullEndPhase | undefined): ObjectReference {
  return end === undefined || markedEnd(owner) !== undefined ? owner : { ...owner, fieldPath: end };
}

/** Whether a job ends some day, so that what it has pulled must be remembered until then. */
export function isRunningToAnEnd(job: ImagePullJob): boolean {
  return job.status?.completionTime === undefined && job.spec.completionPolicy?.type !== "Never";
}

/**
 * Whether a job still holds a tag that names it as owner.
 *
 * It does not when it is gone or going, asks for another image by now, or no longer waits for a pull that has not ended: because it is
 * finished, or has given this node up.
 * @param job the job of the owner's name, whatever its UID; undefined when there is none
 */
export function holdsTag(job: ImagePullJob | undefined, owner: ObjectReference, tag: TagOnNode): boolean {
  if (job === undefined || job.metadata.uid !== owner.uid || job.metadata.deletionTimestamp !== undefined) return false;
  if (!asksFor(job, tag)) return false;
  return endOf(tag) !== undefined || markedEnd(owner) !== undefined || isWaitingFor(job, tag.node);
}

function isWaitingFor(job: ImagePullJob, node: string): boolean {
  const { completionTime, failedNodes = [] } = job.status ?? {};
  return completionTime === undefined && !(isRunningToAnEnd(job) && failedNodes.includes(node));
}

function asksFor(job: ImagePullJob, tag: TagOnNode): boolean {
  const reference = parseImageReference(job.spec.image);
  if (reference === undefined) return false;
  const wanted = nameAndTag(reference);
  return wanted.name === tag.image && wanted.tag === tag.spec.tag;
}
