import type { Mutant } from "./mutant.js";

/** Ways to break the agent. */
export const AGENT_MUTANTS: readonly Mutant[] = [
  {
    name: "stops-right-env",
    breaks: "an env condition narrows a stop request: an instance that has the wanted env is not stopped",
    changes: [
      {
        file: "src/core/container-restart/decide.ts",
        find: "if (env.hash !== request.stopWhile.envHashNot) return undefined;",
        replace: "return undefined;",
      },
    ],
  },
  {
    name: "stops-newest-instance",
    breaks: "a stop request names exactly one instance, and no other is ever stopped",
    changes: [
      {
        file: "src/core/container-restart/decide.ts",
        find: `const named = own.find(({ id }) => id === parseContainerId(request.containerID ?? "")?.id);`,
        replace: "const named = newest;",
      },
    ],
  },
  {
    name: "stops-the-dead",
    breaks: "a named instance that does not run any more is not stopped again",
    changes: [
      {
        file: "src/core/container-restart/decide.ts",
        find: `if (named === undefined || named.state === "Exited") return`,
        replace: `if (named?.state === "Exited" && named.id === newest?.id) return stopDecision(request, named, observed.previous);
  if (named === undefined || named.state === "Exited") return`,
      },
    ],
  },
  {
    name: "repeats-pre-stop",
    breaks: "preStop runs at most once per request, whatever crashes",
    changes: [
      {
        file: "src/core/container-restart/decide.ts",
        find: " && !mayHaveRun;",
        replace: ";",
      },
      {
        // The second guard: whoever holds an older view is told by the record itself.
        file: "src/agent/container-restart/stop-runner.ts",
        find: `if ((await this.#writer.recordStopping(order, signal)) === "already") return;`,
        replace: "await this.#writer.recordStopping(order, signal);",
      },
    ],
  },
  {
    name: "records-stopping-late",
    breaks: "Stopping is written before preStop runs",
    changes: [
      {
        file: "src/agent/container-restart/stop-runner.ts",
        find: `if ((await this.#writer.recordStopping(order, signal)) === "already") return;`,
        replace: "",
      },
    ],
  },
  {
    name: "ignores-withdrawal",
    breaks: "withdrawal cancels what is not yet stopped",
    changes: [
      {
        file: "src/agent/container-restart/stop-runner.ts",
        find: `this.#running.get(id)?.withdraw.abort(new Error("The request was withdrawn"));`,
        replace: "",
      },
    ],
  },
  {
    name: "gives-up-after-a-failed-stop",
    breaks: "a stop call whose answer was lost is repeated while that instance still runs",
    changes: [
      {
        file: "src/agent/container-restart/stop-runner.ts",
        find: "    this.onEnd({ order, failure });",
        replace:
          "    if (failure === undefined) this.onEnd({ order, failure });\n    else this.#running.set(order.id, { withdraw: new AbortController(), ended: Promise.resolve() });",
      },
    ],
  },
  {
    name: "writes-status-for-ever",
    breaks: "settled pods cost no write",
    changes: [
      {
        file: "src/agent/container-restart/status-writer.ts",
        find: "    if (equalJson(status, object.status)) return;",
        replace: "    this.#alarm.setNoLaterThan(8_000);",
      },
    ],
  },
  {
    name: "forgets-a-conflict",
    breaks: "nothing is lost across 409",
    changes: [
      {
        file: "src/agent/container-restart/status-writer.ts",
        find: "client.get<NodePodRestart>(NODE_POD_RESTARTS, target, signal));\n      this.writeNow();",
        replace: "client.get<NodePodRestart>(NODE_POD_RESTARTS, target, signal));",
      },
    ],
  },
  {
    name: "pulls-again-and-again",
    breaks: "no pull is done twice",
    changes: [
      {
        file: "src/agent/image-pull/puller.ts",
        find: "      if (known === undefined) this.#begin(task);",
        replace: `      if (known === undefined || known.state.phase === "Succeeded") this.#begin(task);`,
      },
    ],
  },
];
