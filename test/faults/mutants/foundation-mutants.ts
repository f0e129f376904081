import type { Mutant } from "./mutant.js";

/** Ways to break what both processes stand on. */
export const FOUNDATION_MUTANTS: readonly Mutant[] = [
  {
    name: "watches-on-after-410",
    breaks: "a cache lists again when the server has forgotten its place",
    changes: [
      {
        file: "src/kube/reflector.ts",
        find: `if (hasCode(failure, "KUBE_GONE")) {\n      this.#mustList = true;`,
        replace: `if (hasCode(failure, "KUBE_GONE")) {`,
      },
    ],
  },
  {
    name: "loses-dirty-keys",
    breaks: "a key that was dirtied while it was processed is queued again",
    changes: [{ file: "src/kube/work-queue.ts", find: "if (this.#dirty.has(key)) this.#offer(key);", replace: "this.#dirty.delete(key);" }],
  },
  {
    name: "keeps-a-refused-token",
    breaks: "an expired token is read anew",
    changes: [
      {
        file: "src/kube/transport.ts",
        find: "this.#options.credentials.renew(); // the token may have been replaced since we read it",
        replace: "",
      },
    ],
  },
  {
    name: "multiplies-events",
    breaks: "events of one fact are counted up, not multiplied",
    changes: [
      {
        file: "src/kube/event-recorder.ts",
        find: "{ ...latest, isWritten: true }",
        replace: "{ ...latest, isWritten: false, suffix: this.#options.random.hex(16) }",
      },
    ],
  },
  {
    name: "leads-for-ever",
    breaks: "a leader that could not renew its Lease steps down",
    changes: [{ file: "src/kube/leader-election.ts", find: "renewDeadlineMs: 10_000", replace: "renewDeadlineMs: 1_000_000" }],
  },
  {
    name: "dies-of-a-refused-watch",
    breaks: "a cache never gives up",
    changes: [
      {
        file: "src/kube/reflector.ts",
        find: "      signal.throwIfAborted();\n      return error;",
        replace: `      signal.throwIfAborted();\n      if (hasCode(error, "KUBE_GONE")) throw error;\n      return error;`,
      },
    ],
  },
];
