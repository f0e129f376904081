import type { JobTally } from "./job-tally.js";

/** Messages of a job that has ended. Source: spec/node-agent.md 4.7. */
export const COMPLETED = "job has completed";
export const PAST_DEADLINE = "job exceeds activeDeadlineSeconds";

const MAX_NAMES = 3;

/** The message of a running job: its progress, and which agents do not answer. Source: spec/node-agent.md 4.7; the second part is ours. */
export function runningMessage({ desired, succeeded, failures, silent }: JobTally): string {
  if (desired === 0) return "job is running, no progress";
  const progress = `job is running, progress ${((100 * (succeeded + failures.length)) / desired).toFixed(1)}%`;
  return silent.length === 0 ? progress : `${progress}, no answer from the agents on: ${someOf(silent)}`;
}

/** Names for a message, not too many. */
export function someOf(names: readonly string[]): string {
  const shown = [...names].sort().slice(0, MAX_NAMES).join(", ");
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}
