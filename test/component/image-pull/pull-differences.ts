import type { ImagePullJobStatus } from "../../../src/api/image-pull-job.js";
import { withoutRepetitions } from "../../support/story.js";
import type { PullStory } from "./pull-story.js";

/** A way in which we differ from OpenKruise on purpose. Its id heads a row of docs/compatibility.md, which says why. */
export interface PullDifference {
  readonly id: string;
  /** What a recorded story would be like if OpenKruise did it our way. */
  readonly apply: (recorded: PullStory) => PullStory;
}

export const PULL_DIFFERENCES: readonly PullDifference[] = [
  {
    id: "pull-status-counts-whom-it-asks",
    apply: (story) => ({
      ...story,
      jobs: Object.fromEntries(
        Object.entries(story.jobs).map(([name, job]) => [name, { ...job, statuses: withoutHalfSteps(job.statuses) }]),
      ),
    }),
  },
  {
    id: "pull-event-names-the-node",
    apply: (story) => ({
      ...story,
      events: story.events.map((event) => ({
        ...event,
        message: event.message.replace(/^(Image \S+) Failed to pull image reference .*/s, "$1 on node node1: <runtime's words>"),
      })),
    }),
  },
];

// A status that differs from the next in `active` alone was written before the next node was asked.
function withoutHalfSteps(statuses: readonly ImagePullJobStatus[]): readonly ImagePullJobStatus[] {
  const rest = (status: ImagePullJobStatus | undefined) => JSON.stringify(Object.entries({ ...status, active: 0 }).sort());
  return withoutRepetitions(
    statuses.filter((status, index) => index === statuses.length - 1 || rest(status) !== rest(statuses[index + 1])),
  );
}
