import type { ObjectReference } from "../../api/meta.js";
import type { ImageSpec, ImageTagSpec, NodeImage, SandboxConfig, TagPullPolicy } from "../../api/node-image.js";
import { endOf, markEnd, type TagOnNode, tagOnNode } from "../node-image/tag-owner.js";
import { compareGoStrings } from "../values/go-json.js";
import { moreGenerous, tryEquallyHard } from "./tag-policy.js";

/** What a job asks of a node. */
export interface TagRequest {
  readonly owner: ObjectReference;
  readonly image: string;
  readonly tag: string;
  readonly imagePullPolicy: string;
  readonly pullPolicy: TagPullPolicy;
  readonly sandboxConfig: SandboxConfig | undefined;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Whether an owner needs the tag no more: a job that is finished or gone. */
  readonly isDone: (owner: ObjectReference) => boolean;
}

/** The part of a NodeImage's spec that an assignment changes, as a merge patch body; it holds only if nobody wrote since. */
export interface AssignmentPatch {
  readonly metadata: { readonly resourceVersion: string | undefined };
  readonly spec: { readonly images: Readonly<Record<string, Partial<ImageSpec>>> };
}

/**
 * Enters a job's request in a NodeImage.
 *
 * A tag that is there already begins a new round, unless it is still being pulled and the job is content with any copy: then the job
 * joins that round. Owners whose round is over keep its end as a mark, and leave once they are done.
 * @returns undefined when the job owns the tag already
 * Source: spec/node-agent.md 4.8; joining, marks and merged policies are ours (kruise#2221).
 */
export function assignTag(nodeImage: NodeImage, request: TagRequest): AssignmentPatch | undefined {
  const { image, tag, owner, sandboxConfig } = request;
  const existing = tagOnNode(nodeImage, image, tag);
  if (existing?.spec.ownerReferences?.some(({ uid }) => uid === owner.uid) === true) return undefined;
  const entry = existing === undefined ? newTag(nodeImage, request) : nextRound(nodeImage, existing, request);
  const others = (nodeImage.spec?.images?.[image]?.tags ?? []).filter((other) => other.tag !== tag);
  const tags = [...others, entry].sort((a, b) => compareGoStrings(a.tag, b.tag));
  return patchOf(nodeImage, image, { tags, ...(sandboxConfig && { sandboxConfig }) });
}

/**
 * Hands an edited pull policy of a job to a tag that is still being pulled for it alone.
 * @returns undefined when nothing changes
 */
export function refreshTag(nodeImage: NodeImage, { owner, image, tag, pullPolicy }: TagRequest): AssignmentPatch | undefined {
  const existing = tagOnNode(nodeImage, image, tag);
  if (existing === undefined || !needsRefresh(existing, owner.uid, pullPolicy)) return undefined;
  const ttl = existing.spec.pullPolicy?.ttlSecondsAfterFinished;
  const policy = { ...pullPolicy, ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }) };
  const tags = nodeImage.spec?.images?.[image]?.tags ?? [];
  return patchOf(nodeImage, image, { tags: tags.map((entry) => (entry.tag === tag ? { ...entry, pullPolicy: policy } : entry)) });
}

/** Whether a tag is still being pulled for one job alone, by a policy that the job no longer has. */
export function needsRefresh(tag: TagOnNode, uid: string | undefined, policy: TagPullPolicy): boolean {
  const [owner, ...others] = tag.spec.ownerReferences ?? [];
  if (owner?.uid !== uid || others.length > 0 || endOf(tag) !== undefined) return false;
  return !tryEquallyHard(tag.spec.pullPolicy, policy);
}

function patchOf(nodeImage: NodeImage, image: string, change: Partial<ImageSpec>): AssignmentPatch {
  return { metadata: { resourceVersion: nodeImage.metadata.resourceVersion }, spec: { images: { [image]: change } } };
}

function newTag(nodeImage: NodeImage, { owner, image, tag, createdAt, imagePullPolicy, pullPolicy }: TagRequest): ImageTagSpec {
  const version = nextVersion(nodeImage, image, tag);
  return { tag, createdAt, imagePullPolicy, ownerReferences: [owner], pullPolicy, ...(version > 0 && { version }) };
}

function nextRound(nodeImage: NodeImage, existing: TagOnNode, request: TagRequest): ImageTagSpec {
  const { image, tag, owner, createdAt, imagePullPolicy } = request;
  const end = endOf(existing);
  const pullPolicy = end === undefined ? moreGenerous(existing.spec.pullPolicy, request.pullPolicy) : request.pullPolicy;
  const others = (existing.spec.ownerReferences ?? []).filter((reference) => !request.isDone(reference));
  const earlier = others.map((reference) => markEnd(reference, end));
  const common = { ...existing.spec, ownerReferences: [...earlier, owner], pullPolicy };
  if (end === undefined && imagePullPolicy === "IfNotPresent") return common;
  const version = Math.max(nextVersion(nodeImage, image, tag), (existing.spec.version ?? 0) + 1);
  return { ...common, createdAt, imagePullPolicy, version };
}

// A version that the status has seen must not come back: its end would be taken for the new round's.
function nextVersion(nodeImage: NodeImage, image: string, tag: string): number {
  const last = nodeImage.status?.imageStatuses?.[image]?.tags.find((status) => status.tag === tag);
  return last === undefined ? 0 : (last.version ?? 0) + 1;
}
