import type { ImagePullJob } from "../../api/image-pull-job.js";
import type { NodeImage } from "../../api/node-image.js";
import { endOf, markedEnd, type PullEndPhase, tagOnNode, type TagOnNode } from "../node-image/tag-owner.js";
import { parseTimestampMs } from "../values/timestamps.js";
import type { JobSettings } from "./job-settings.js";
import type { JobNode } from "./target-nodes.js";

/** How far one node of a job is. */
export type NodeOutcome =
  /** Not asked yet. */
  | { readonly type: "unsynced" }
  /** Asked. `unansweredSinceMs`: since then its agent has said nothing about it. */
  | { readonly type: "active"; readonly tag: TagOnNode; readonly unansweredSinceMs?: number }
  | { readonly type: "succeeded" }
  | { readonly type: "failed"; readonly message: string };

/** Everything that tells a node's outcome apart, gathered once per job. */
export interface OutcomeContext {
  readonly uid: string | undefined;
  readonly settings: JobSettings;
  /** Nodes that the job has given up for good. */
  readonly givenUp: ReadonlySet<string>;
  readonly time: JobTime;
}

/** When a job is looked at. Unix milliseconds, both by this controller's clock. */
export interface JobTime {
  readonly nowMs: number;
  /**
   * Since when this controller has been watching. When a request was made that is older stands there by another controller's clock, which
   * may have been wrong: no silence counts that was not watched. Absent: always.
   */
  readonly watchingSinceMs?: number;
}

const MAX_IMAGES = 256;
const MIN_ANSWER_SECONDS = 60;
const MAX_ANSWER_SECONDS = 600;

export function outcomeContext(job: ImagePullJob, settings: JobSettings, time: JobTime): OutcomeContext {
  const givenUp = new Set(settings.endsWithAllNodes ? job.status?.failedNodes : []);
  return { uid: job.metadata.uid, settings, givenUp, time };
}

/** Says how far a node is. A job that ends with all nodes never takes a failure back: the node's request is withdrawn then. */
export function nodeOutcome({ name, nodeImage }: JobNode, context: OutcomeContext): NodeOutcome {
  if (context.givenUp.has(name)) return { type: "failed", message: "failed before" };
  if (nodeImage === undefined) return { type: "unsynced" };
  const { image, tag } = context.settings;
  const entry = tagOnNode(nodeImage, image, tag);
  const owner = entry?.spec.ownerReferences?.find(({ uid }) => uid === context.uid);
  if (entry !== undefined && owner !== undefined) return outcomeOfTag(entry, markedEnd(owner) ?? endOf(entry), context);
  if (isFull(nodeImage, image)) return { type: "failed", message: `node "${name}" is asked for ${MAX_IMAGES} images already` };
  return { type: "unsynced" };
}

function isFull({ spec }: NodeImage, image: string): boolean {
  const images = spec?.images ?? {};
  return images[image] === undefined && Object.keys(images).length >= MAX_IMAGES;
}

/** How long a node may leave a request unanswered before it counts as failed. Units: milliseconds. */
export function answerLimitMs({ timeoutSeconds }: JobSettings): number {
  return Math.min(MAX_ANSWER_SECONDS, Math.max(MIN_ANSWER_SECONDS, timeoutSeconds)) * 1000;
}

function outcomeOfTag(tag: TagOnNode, end: PullEndPhase | undefined, { settings, time }: OutcomeContext): NodeOutcome {
  if (end === "Succeeded") return { type: "succeeded" };
  if (end === "Failed") return { type: "failed", message: tag.status?.message ?? "pulling failed" };
  const unansweredSinceMs = silentSinceMs(tag, time);
  if (unansweredSinceMs === undefined) return { type: "active", tag };
  if (time.nowMs - unansweredSinceMs < answerLimitMs(settings)) return { type: "active", tag, unansweredSinceMs };
  return {
    type: "failed",
    message: `the agent on node "${tag.node}" has not answered since ${tag.spec.createdAt ?? ""}: see whether it runs there`,
  };
}

/** Since when the agent owes an answer; undefined if it has said something. */
function silentSinceMs({ spec, status }: TagOnNode, { watchingSinceMs = Number.NEGATIVE_INFINITY }: JobTime): number | undefined {
  const askedMs = status === undefined ? parseTimestampMs(spec.createdAt ?? "") : undefined;
  return askedMs === undefined ? undefined : Math.max(askedMs, watchingSinceMs);
}
