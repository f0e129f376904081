import type { StepEntry } from "./history.js";
import type { Invariant } from "./invariant.js";

const NODE_WORK = new Set(["stop-container", "run-pre-stop", "pull-image"]);
const LEASE_WORK = new Set(["renew-lease", "take-lease"]);

/** Once all is done, nothing is written any more but leases, and nothing is done on nodes. */
export const quietAtRest: Invariant = {
  name: "quiet-at-rest",
  check(entries) {
    const rest = entries.findIndex(({ type }) => type === "rest");
    if (rest < 0) return [];
    return entries
      .slice(rest)
      .flatMap((entry) =>
        entry.type === "step" && entry.phase === "before" && isWork(entry)
          ? [{ invariant: "quiet-at-rest", atMs: entry.atMs, message: `${entry.actor}: ${entry.step} ${entry.subject}` }]
          : [],
      );
  },
};

function isWork({ step, subject }: StepEntry): boolean {
  return NODE_WORK.has(step) || (/^(POST|PUT|PATCH|DELETE) /.test(subject) && !LEASE_WORK.has(step));
}
