import { CANARY } from "../flows/workload.js";
import type { Entry } from "../journal.js";
import type { Invariant } from "./invariant.js";

const KINDS = new Set(["nodepodrestarts", "nodeimages", "events"]);

/** No value that goes into a container is told to nodes, in events, or in logs. */
export const noValuesLeak: Invariant = {
  name: "no-values-leak",
  check: (entries) =>
    entries.flatMap((entry) =>
      told(entry).includes(CANARY)
        ? [{ invariant: "no-values-leak", atMs: entry.atMs, message: `a value is told: ${told(entry).slice(0, 200)}` }]
        : [],
    ),
};

function told(entry: Entry): string {
  if (entry.type === "log") return entry.message + entry.fields;
  return entry.type === "object" && KINDS.has(entry.plural) ? JSON.stringify(entry.object) : "";
}
