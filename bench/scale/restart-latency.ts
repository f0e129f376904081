import { join } from "node:path";
import { Child, makeWorkspace } from "./child.js";
import type { FloorMethods } from "./floor-process.js";
import type { LatencyMethods } from "./latency-process.js";
import { ProductProcess, shippedNodeArgs } from "./product-process.js";
import type { Usage } from "./usage.js";

/** P4: how long the agent takes from an event to the stop that it asks for. Units: milliseconds */
export interface RestartLatency {
  readonly pods: number;
  readonly samplesMs: readonly number[];
  /** The same by a loop that only watches and stops. */
  readonly floorMs: readonly number[];
  readonly agent: Usage;
}

export interface LatencyOptions {
  readonly pods: number;
  readonly restarts: number;
  readonly perSecond: number;
  /** How long a process that has just started is left alone. */
  readonly settleMs: number;
  readonly nodeArgs?: readonly string[];
}

const NODE = "node-a";
const WARM_UP = 100;

export async function benchRestartLatency({ pods, restarts, perSecond, settleMs, nodeArgs = [] }: LatencyOptions): Promise<RestartLatency> {
  const { directory, remove } = makeWorkspace();
  const node = await Child.start<LatencyMethods>("latency-process", directory);
  const socketPath = join(directory, "containerd.sock");
  const periodMs = 1000 / perSecond;
  try {
    const access = await node.call("start", { socketPath, podCount: pods });
    const floor = await Child.start<FloorMethods>("floor-process", directory, shippedNodeArgs("agent"));
    await floor.call("start", { access, socketPath, node: NODE });
    await node.call("run", { count: Math.min(WARM_UP, restarts), periodMs });
    const floorMs = await node.call("run", { count: restarts, periodMs });
    await floor.stop();
    await pause(settleMs);
    const args = ["agent", "--feature-gates=ImagePullJobGate=true", `--run-directory=${directory}`, "--socket-file=containerd.sock"];
    const agent = await ProductProcess.start({ directory, access, args, env: { NODE_NAME: NODE }, nodeArgs });
    await pause(settleMs);
    await node.call("run", { count: Math.min(WARM_UP, restarts), periodMs });
    const samplesMs = await node.call("run", { count: restarts, periodMs });
    const usage = agent.usage();
    await agent.stop();
    return { pods, samplesMs, floorMs, agent: usage };
  } finally {
    await node.stop();
    remove();
  }
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
