import type { Invariant } from "./invariant.js";

/** Whatever happened, in the end all is as the user wants it, in time. */
export const converges: Invariant = {
  name: "converges",
  check: (entries) =>
    entries.flatMap((entry) =>
      entry.type === "verdict" && entry.problems.length > 0
        ? [{ invariant: "converges", atMs: entry.atMs, message: entry.problems.join("; ") }]
        : [],
    ),
};
