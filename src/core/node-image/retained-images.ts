import type { ImagePullJob } from "../../api/image-pull-job.js";
import type { ObjectReference } from "../../api/meta.js";
import type { ImageSpec, ImageTagSpec, NodeImage } from "../../api/node-image.js";
import { parseTimestampMs, toRfc3339Seconds } from "../values/timestamps.js";
import { endOf, holdsTag, isJobReference, isRunningToAnEnd, type TagOnNode, tagOnNode } from "./tag-owner.js";

/** Finds the job of an owner reference by namespace and name. */
export type JobLookup = (owner: ObjectReference) => ImagePullJob | undefined;

export interface RetainedImages {
  /** Only the images that change: their remaining tags, or null when none remain. Empty: nothing to do. */
  readonly changes: Readonly<Record<string, { readonly tags: readonly ImageTagSpec[] } | null>>;
  /** When the next tag's time to live is over. */
  readonly nextExpiryMs: number | undefined;
}

interface TagVerdict {
  /** Undefined: the tag goes. The same object: nothing changes. */
  readonly spec: ImageTagSpec | undefined;
  readonly expiryMs?: number;
}

/**
 * What remains of a NodeImage's spec: tags go with their last owner, and when their time to live after the pull is over. While a job that
 * waits for all nodes still runs, its tags stay, because they are its memory. Entries that a user wrote by hand get a creation time.
 * Source: spec/node-agent.md 4.2.
 */
export function retainedImages(nodeImage: NodeImage, jobOf: JobLookup, nowMs: number): RetainedImages {
  const changes: Record<string, { readonly tags: readonly ImageTagSpec[] } | null> = {};
  let nextExpiryMs: number | undefined;
  for (const [image, spec] of Object.entries(nodeImage.spec?.images ?? {})) {
    const verdicts = spec.tags.map((tag) => judge(tagOnNode(nodeImage, image, tag.tag) ?? blankTag(nodeImage, image, tag), jobOf, nowMs));
    for (const { expiryMs = Number.POSITIVE_INFINITY } of verdicts) nextExpiryMs = earlier(nextExpiryMs, expiryMs);
    const tags = verdicts.flatMap((verdict) => verdict.spec ?? []);
    if (isChanged(spec, tags)) changes[image] = tags.length === 0 ? null : { tags };
  }
  return { changes, nextExpiryMs };
}

function judge(tag: TagOnNode, jobOf: JobLookup, nowMs: number): TagVerdict {
  const owners = tag.spec.ownerReferences ?? [];
  const remaining = owners.filter((owner) => !isJobReference(owner) || holdsTag(jobOf(owner), owner, tag));
  if (owners.length > 0 && remaining.length === 0) return { spec: undefined };
  const isMemory = remaining.some((owner) => isWaiting(owner, jobOf));
  const expiryMs = isMemory ? undefined : expiryOf(tag);
  if (expiryMs !== undefined && expiryMs <= nowMs) return { spec: undefined };
  return { spec: tidy(tag.spec, remaining, nowMs), ...(expiryMs !== undefined && { expiryMs }) };
}

function isWaiting(owner: ObjectReference, jobOf: JobLookup): boolean {
  const job = isJobReference(owner) ? jobOf(owner) : undefined;
  return job !== undefined && isRunningToAnEnd(job);
}

// The node's clock says when the pull ended; it cannot have been before the controller asked.
function expiryOf(tag: TagOnNode): number | undefined {
  const ttlSeconds = tag.spec.pullPolicy?.ttlSecondsAfterFinished;
  if (ttlSeconds === undefined || endOf(tag) === undefined) return undefined;
  const endedMs = Math.max(timeOf(tag.spec.createdAt), timeOf(tag.status?.completionTime));
  return Number.isFinite(endedMs) ? endedMs + ttlSeconds * 1000 : undefined;
}

function timeOf(text: string | undefined): number {
  return (text === undefined ? undefined : parseTimestampMs(text)) ?? Number.NEGATIVE_INFINITY;
}

function tidy(spec: ImageTagSpec, owners: readonly ObjectReference[], nowMs: number): ImageTagSpec {
  const hasAllOwners = owners.length === (spec.ownerReferences ?? []).length;
  if (hasAllOwners && spec.createdAt !== undefined) return spec;
  const createdAt = spec.createdAt ?? toRfc3339Seconds(nowMs);
  return { ...spec, createdAt, ...(hasAllOwners ? {} : { ownerReferences: owners }) };
}

function isChanged(image: ImageSpec, tags: readonly ImageTagSpec[]): boolean {
  return tags.length === 0 || tags.length !== image.tags.length || tags.some((tag, index) => tag !== image.tags[index]);
}

function blankTag(nodeImage: NodeImage, image: string, spec: ImageTagSpec): TagOnNode {
  return { node: nodeImage.metadata.name, image, spec, status: undefined };
}

function earlier(a: number | undefined, b: number): number | undefined {
  return Number.isFinite(b) ? Math.min(a ?? b, b) : a;
}
