import { type Fault, type FaultContext, scaled } from "./fault.js";

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
  ofAgent("agent-pause", ({ node, strength }) => {
    const durationMs = scaled(strength, 1_000, 30_000);
    node.agent.pause(durationMs);
    return durationMs;
  }),
  ofAgent("agent-overlap", ({ node, strength }) => {
    const durationMs = scaled(strength, 500, 8_000);
    node.agent.overlap(durationMs);
    return durationMs;
  }),
  {
    name: "controller-crash",
    begin({ controller, strength }) {
      const downMs = scaled(strength, 200, 4_000);
      controller.crash(downMs);
      return downMs;
    },
  },
  {
    name: "all-controllers-crash",
    begin({ cluster, strength }) {
      const downMs = scaled(strength, 200, 6_000);
      for (const controller of cluster.controllers) controller.crash(downMs);
      return downMs;
    },
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
    begin({ controller, strength }) {
      const durationMs = scaled(strength, 1_000, 30_000);
      controller.pause(durationMs);
      return durationMs;
    },
  },
];
