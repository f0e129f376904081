import type { ImagePullJob, ImagePullJobStatus } from "../../api/image-pull-job.js";
import { compareGoStrings } from "../values/go-json.js";
import { parseTimestampMs, toRfc3339Seconds } from "../values/timestamps.js";
import { COMPLETED, PAST_DEADLINE, runningMessage } from "./job-message.js";
import type { JobSettings } from "./job-settings.js";
import { type JobTally, type NodeFailure, tallyJob } from "./job-tally.js";
import type { JobTime } from "./node-outcome.js";
import type { JobNode } from "./target-nodes.js";

/** What to do about a job that is neither finished nor being deleted. */
export interface JobPlan {
  /** Nodes to ask now, by name. */
  readonly assign: readonly string[];
  /** Nodes that still pull by a pull policy that the job no longer has. */
  readonly refresh: readonly string[];
  /** The status once that is done. */
  readonly status: ImagePullJobStatus;
  /** Failures that the stored status does not list yet. */
  readonly failures: readonly NodeFailure[];
  /** When time alone changes something next. */
  readonly requeueAfterMs: number | undefined;
}

/**
 * Plans the next step of a job: which nodes to ask, so that never more than `parallelism` are asked at a time, and the status.
 *
 * Pure, and a function of what the API server holds, the job and its nodes' NodeImages, and of the time. The nodes may come in any order.
 * Source: spec/node-agent.md 4.8.
 */
export function decideJob(job: ImagePullJob, settings: JobSettings, observed: { nodes: readonly JobNode[] } & JobTime): JobPlan {
  const tally = tallyJob(job, settings, observed);
  const { nowMs } = observed;
  const startTime = job.status?.startTime ?? toRfc3339Seconds(nowMs);
  const deadlineMs = deadlineOf(settings, startTime);
  if (settings.endsWithAllNodes && tally.succeeded + tally.failures.length === tally.desired) {
    return end(job, { startTime, message: COMPLETED, nowMs }, tally);
  }
  if (nowMs >= deadlineMs) return end(job, { startTime, message: PAST_DEADLINE, nowMs }, withoutHope(tally));
  const free = Math.max(0, settings.parallelism - tally.active.length);
  const assign = [...tally.ready].sort(compareGoStrings).slice(0, free);
  const status = { ...countersOf(tally, assign.length), startTime, message: runningMessage(tally) };
  const nextMs = Math.min(tally.nextMs, deadlineMs);
  const requeueAfterMs = Number.isFinite(nextMs) ? Math.max(0, nextMs - nowMs) : undefined;
  return { assign, refresh: tally.refresh, status, failures: newFailures(job, tally), requeueAfterMs };
}

/** The plan after some nodes could not be asked at all: they have failed. */
export function withRefused(plan: JobPlan, refused: readonly NodeFailure[]): JobPlan {
  if (refused.length === 0) return plan;
  const { active = 0, failed = 0, failedNodes = [] } = plan.status;
  const names = [...failedNodes, ...refused.map(({ node }) => node)].sort(compareGoStrings);
  const status = { ...plan.status, active: active - refused.length, failed: failed + refused.length, failedNodes: names };
  return { ...plan, status, failures: [...plan.failures, ...refused] };
}

function end(job: ImagePullJob, how: { startTime: string; message: string; nowMs: number }, tally: JobTally): JobPlan {
  const { startTime, message, nowMs } = how;
  const status = { ...countersOf(tally, 0), startTime, message, completionTime: toRfc3339Seconds(nowMs) };
  return { assign: [], refresh: [], status, failures: newFailures(job, tally), requeueAfterMs: undefined };
}

function withoutHope(tally: JobTally): JobTally {
  const late = [...tally.active, ...tally.ready, ...tally.blocked].map((node) => ({ node, message: PAST_DEADLINE }));
  return { ...tally, failures: [...tally.failures, ...late], active: [], ready: [], blocked: [] };
}

function countersOf({ desired, active, succeeded, failures }: JobTally, assigned: number): ImagePullJobStatus {
  const failedNodes = failures.map(({ node }) => node).sort(compareGoStrings);
  const counters = { desired, active: active.length + assigned, succeeded, failed: failures.length };
  return { ...counters, ...(failedNodes.length > 0 && { failedNodes }) };
}

function newFailures(job: ImagePullJob, { failures }: JobTally): readonly NodeFailure[] {
  if (failures.length === 0) return failures;
  const known = new Set(job.status?.failedNodes);
  return failures.filter(({ node }) => !known.has(node));
}

function deadlineOf({ activeDeadlineSeconds, endsWithAllNodes }: JobSettings, startTime: string): number {
  const startMs = parseTimestampMs(startTime);
  if (!endsWithAllNodes || activeDeadlineSeconds === undefined || startMs === undefined) return Number.POSITIVE_INFINITY;
  return startMs + activeDeadlineSeconds * 1000;
}
