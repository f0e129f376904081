import type { ImagePullJob } from "../../api/image-pull-job.js";
import { needsRefresh } from "./assign-tag.js";
import type { JobSettings } from "./job-settings.js";
import { answerLimitMs, type JobTime, nodeOutcome, type NodeOutcome, outcomeContext } from "./node-outcome.js";
import { tagPullPolicy } from "./tag-policy.js";
import type { JobNode } from "./target-nodes.js";

/** One node that gave up, and why. */
export interface NodeFailure {
  readonly node: string;
  readonly message: string;
}

/** The nodes of a job by how far they are; names in no order. */
export interface JobTally {
  readonly desired: number;
  readonly succeeded: number;
  readonly failures: readonly NodeFailure[];
  /** Asked, not ended. */
  readonly active: readonly string[];
  /** Not asked yet, but could be now. */
  readonly ready: readonly string[];
  /** Not asked yet, and without a NodeImage to ask through. */
  readonly blocked: readonly string[];
  /** Active ones that pull by a policy which the job no longer has. */
  readonly refresh: readonly string[];
  /** Active ones whose agent has not answered for a while. */
  readonly silent: readonly string[];
  /** When the silence of one of them means more than now. Infinite: never. */
  readonly nextMs: number;
}

/** A node that has not answered for this long is named in the job's message. */
const SILENCE_MS = 30_000;

/** Counts a job's nodes. */
export function tallyJob(job: ImagePullJob, settings: JobSettings, { nodes, ...time }: { nodes: readonly JobNode[] } & JobTime): JobTally {
  const context = outcomeContext(job, settings, time);
  const policy = tagPullPolicy(settings, 0);
  const failures: NodeFailure[] = [];
  const [active, ready, blocked, refresh, silent]: [string[], string[], string[], string[], string[]] = [[], [], [], [], []];
  let nextMs = Number.POSITIVE_INFINITY;
  for (const node of nodes) {
    const outcome = nodeOutcome(node, context);
    if (outcome.type === "failed") failures.push({ node: node.name, message: outcome.message });
    else if (outcome.type === "unsynced") (node.nodeImage === undefined ? blocked : ready).push(node.name);
    else if (outcome.type === "active") {
      active.push(node.name);
      if (needsRefresh(outcome.tag, context.uid, policy)) refresh.push(node.name);
      const silence = silenceOf(outcome, settings, time.nowMs);
      if (silence.isNoted) silent.push(node.name);
      nextMs = Math.min(nextMs, silence.nextMs);
    }
  }
  const succeeded = nodes.length - failures.length - active.length - ready.length - blocked.length;
  return { desired: nodes.length, succeeded, failures, active, ready, blocked, refresh, silent, nextMs };
}

function silenceOf({ unansweredSinceMs: sinceMs }: NodeOutcome & { type: "active" }, settings: JobSettings, nowMs: number) {
  if (sinceMs === undefined) return { isNoted: false, nextMs: Number.POSITIVE_INFINITY };
  const isNoted = nowMs - sinceMs >= SILENCE_MS;
  return { isNoted, nextMs: sinceMs + (isNoted ? answerLimitMs(settings) : SILENCE_MS) };
}
