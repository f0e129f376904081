import type { Entry } from "../journal.js";
import type { Invariant } from "./invariant.js";

/** No process ends by itself, and none meets what it takes for a bug. */
export const noBreaks: Invariant = {
  name: "no-breaks",
  check: (entries) =>
    entries.flatMap((entry) => {
      if (entry.type === "life" && entry.change === "breaks")
        return [{ invariant: "no-breaks", atMs: entry.atMs, message: `${entry.actor} breaks: ${entry.message}` }];
      if (entry.type !== "log" || !meansBug(entry)) return [];
      return [{ invariant: "no-breaks", atMs: entry.atMs, message: `${entry.actor}: ${entry.message} ${entry.fields}` }];
    }),
};

/** A failed reconcile is logged as an error also when the world refuses for good; then its failure has another kind. */
function meansBug({ level, message, fields }: Extract<Entry, { readonly type: "log" }>): boolean {
  return fields.includes('"kind":"bug"') || (level === "error" && message !== "Reconcile fails");
}
