import type { ImagePullJob } from "../../api/image-pull-job.js";
import { someOf } from "../../core/image-pull-job/job-message.js";
import type { NodeFailure } from "../../core/image-pull-job/job-tally.js";
import type { EventRecorder } from "../../kube/event-recorder.js";
import { referenceTo } from "./apply.js";

const MAX_EVENTS = 10;

/** Tells the job's owner which nodes failed and why: an event each, beyond ten one for all. */
export function reportFailures(events: EventRecorder, job: ImagePullJob, failures: readonly NodeFailure[]): void {
  for (const { node, message } of failures.slice(0, MAX_EVENTS)) warn(events, job, `Image ${job.spec.image} on node ${node}: ${message}`);
  const others = failures.slice(MAX_EVENTS).map(({ node }) => node);
  if (others.length > 0) warn(events, job, `Image ${job.spec.image} on ${others.length} more nodes: ${someOf(others)}`);
}

/** Tells the job's owner that the job does not start, and the way out. */
export function reportRefusal(events: EventRecorder, job: ImagePullJob, message: string): void {
  events.record({ regarding: referenceTo(job), type: "Warning", reason: "ImagePullJobRefused", message });
}

/** Tells the job's owner about names that no node has. */
export function reportUnknownNames(events: EventRecorder, job: ImagePullJob, names: readonly string[]): void {
  if (names.length === 0) return;
  events.record({
    regarding: referenceTo(job),
    type: "Warning",
    reason: "NodeNotFound",
    message: `spec.selector.names: no node is called ${someOf(names)}`,
  });
}

function warn(events: EventRecorder, job: ImagePullJob, message: string): void {
  events.record({ regarding: referenceTo(job), type: "Warning", reason: "PullImageFailed", message });
}
