import { type Fault, type FaultContext, lasting } from "./fault.js";

const RESTARTED_MS = 2_500;

function ofAgent(name: string, act: (context: FaultContext) => number): Fault {
  return { name, begin: act };
}

/** What happens to our own processes. */
export const PROCESS_FAULTS: readonly Fault[] = [
  ofAgent("agent-crash", ({ node }) => {
    node.agent.crash();
    return RESTARTED_MS;
  }),
  ofAgent("agent-terminate", ({ node }) => {
    node.agent.terminate();
    return RESTARTED_MS;
  }),
  ofAgent("agent-pause", (context) => lasting(context, [1_000, 30_000], (durationMs) => context.node.agent.pause(durationMs))),
  ofAgent("agent-overlap", (context) => lasting(context, [500, 8_000], (durationMs) => context.node.agent.overlap(durationMs))),
  {
    name: "controller-crash",
    begin: (context) => lasting(context, [200, 4_000], (downMs) => context.controller.crash(downMs)),
  },
  {
    name: "all-controllers-crash",
    begin: (context) =>
      lasting(context, [200, 6_000], (downMs) => {
        for (const controller of context.cluster.controllers) controller.crash(downMs);
      }),
  },
  {
    name: "controller-terminate",
    begin({ controller }) {
      controller.terminate();
      return RESTARTED_MS;
    },
  },
  {
    name: "controller-pause",
    begin: (context) => lasting(context, [1_000, 30_000], (durationMs) => context.controller.pause(durationMs)),
  },
];
