import { nodeOf } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";

/** Nobody's preStop handler runs twice in one container, as long as the object stays in which that is written down. */
export const preStopOnce: Invariant = {
  name: "pre-stop-once",
  check(entries) {
    const run = new Map<string, string>();
    const violations: Violation[] = [];
    for (const entry of entries) {
      if (entry.type === "object" && entry.plural === "nodepodrestarts" && entry.change === "DELETED")
        forget(run, entry.object.metadata.name);
      if (entry.type !== "step" || entry.step !== "run-pre-stop" || entry.phase !== "before") continue;
      const by = run.get(entry.subject);
      if (by !== undefined) {
        const message = `${entry.actor} runs preStop in ${entry.subject.slice(0, 12)}, where ${by} had`;
        violations.push({ invariant: "pre-stop-once", atMs: entry.atMs, message });
      }
      run.set(entry.subject, entry.actor);
    }
    return violations;
  },
};

function forget(run: Map<string, string>, node: string): void {
  for (const [id, actor] of run) if (nodeOf(actor) === node) run.delete(id);
}
