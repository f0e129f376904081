import type { Mutant } from "./mutant.js";

/**
 * Mistakes thought up from design.md alone, by somebody who had not seen the runner: whether it notices them says how far its schedules
 * and invariants reach beyond the mistakes that it was made for. None of them shows as long as nothing goes wrong.
 */
export const DESIGN_MUTANTS: readonly Mutant[] = [
  {
    // Shows when a status write for another pod is under way while a stop with preStop begins, and the agent crashes before the next write.
    name: "one-write-answers-all",
    breaks: "preStop runs at most once per request: `Stopping` is written first when there is one (3)",
    changes: [
      {
        file: "src/agent/container-restart/status-writer.ts",
        find: `if (isWritten) for (const waiter of waiters) this.#settle(waiter, "written");`,
        replace: `if (isWritten) for (const waiter of this.#waiters) this.#settle(waiter, "written");`,
      },
    ],
  },
  {
    // Shows when a user goes back to the last finished revision in mid-update while the agent has not told of the newest instance.
    name: "annotation-speaks-for-any-instance",
    breaks: "completion is decided from container facts: every container RUNNING under a new ID with matching hashes (3)",
    changes: [
      {
        file: "src/core/in-place-update/facts-annotation.ts",
        find: "return entry !== undefined && entry.containerID === statusOf(pod, container)?.containerID ? entry : undefined;",
        replace: "return entry;",
      },
      // Kept twice: it says nothing of whether the container runs either.
      {
        file: "src/core/in-place-update/evidence.ts",
        find: 'toEvidence("posted", annotated, "Unknown")',
        replace: 'toEvidence("posted", annotated, "Running")',
      },
    ],
  },
  {
    // Shows when the runtime refuses or drops one stop call and the container runs on.
    name: "waiting-stop-counts-as-running",
    breaks: "A stop call whose answer was lost is repeated while that instance still runs (3)",
    changes: [
      {
        file: "src/agent/container-restart/stop-runner.ts",
        find: "if (waitMs > 0) return waitMs;",
        replace: "if (waitMs > 0) return 0;",
      },
    ],
  },
  {
    // Shows when the last request of a pod is withdrawn (a user rolls back) while its preStop runs or its stop waits for a turn.
    name: "last-withdrawal-unnoticed",
    breaks: "withdrawal cancels what is not yet stopped (3)",
    changes: [
      {
        file: "src/agent/container-restart/sources.ts",
        find: "const podUids = [...new Set([...old.keys(), ...now.keys()])].filter((uid) => !isSame(old.get(uid), now.get(uid)));",
        replace: "const podUids = [...now.keys()].filter((uid) => !isSame(old.get(uid), now.get(uid)));",
      },
    ],
  },
  {
    // Shows when a pull used up its attempts (registry down) and the agent restarts later.
    name: "begins-failed-pulls-again",
    breaks: "No pull is lost or done twice across an agent crash (7)",
    changes: [
      {
        file: "src/core/image-pull/wanted-pulls.ts",
        find: "if (before?.completionTime !== undefined) return [];",
        replace: `if (before?.phase === "Succeeded") return [];`,
      },
    ],
  },
  {
    // Shows when the clocks of two controllers are 15 s apart: both lead for up to a retry period, each with a budget of its own.
    name: "believes-lease-times",
    breaks: "Identity, never clocks: the clocks of nodes and API server differ (3); a re-election does nothing twice (7)",
    changes: [
      {
        file: "src/kube/leader-election.ts",
        find: "const sinceMs = clock.monotonicMs() - (this.#observed?.seenAtMs ?? 0);",
        replace: `const sinceMs = clock.nowMs() - Date.parse(spec.renewTime ?? "");`,
      },
    ],
  },
  {
    // Shows when the answer to a patch is late and the watch has told of the object's deletion before it comes.
    name: "late-answer-revives-object",
    breaks: "read-your-writes by resourceVersion (5)",
    changes: [
      {
        file: "src/kube/object-store.ts",
        find: "current === undefined ? compareResourceVersions(object.metadata.resourceVersion, this.#seen) > 0 : isNewer(object, current);",
        replace: "current === undefined || isNewer(object, current);",
      },
    ],
  },
];
