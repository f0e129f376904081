import { writeFileSync } from "node:fs";
import { SimCluster } from "./cluster.js";
import { benchEnvWrites, countSweep } from "./env-writes.js";
import { benchPullJob, type PullJobPoint } from "./pull-job.js";
import { latencyLines, pullJobChart, pullJobLines, rolloutLines, type WriteCosts, writeLines } from "./report.js";
import { benchRestartLatency, type RestartLatency } from "./restart-latency.js";
import { benchRollout, type Rollout } from "./rollout.js";

export const SCALE_GOALS = ["P4", "P8", "P7", "P9"] as const;
export type ScaleGoal = (typeof SCALE_GOALS)[number];

/** How large everything is. */
export interface ScaleOptions {
  readonly goals: readonly ScaleGoal[];
  /** P9: sizes of the cluster, ascending. */
  readonly nodes: readonly number[];
  /** P7: CloneSets, and pods in each. */
  readonly sets: number;
  readonly replicas: number;
  /** P7 and P8: nodes for the pods. */
  readonly podNodes: number;
  /** P8: pods of one node that are updated together. */
  readonly together: number;
  /** P4: how many samples, after how many pods there are. */
  readonly restarts: number;
  readonly restartPods: number;
  /** How long to leave alone what has just started or changed. */
  readonly settleMs: number;
  /** How long to watch a process that has nothing to do. */
  readonly idleMs: number;
  /** P8: whether to wait a minute for the sweep of finished requests. */
  readonly awaitSweep: boolean;
  /** Where the curves of P9 go. */
  readonly svgPath?: string | undefined;
  readonly tell: (line: string) => void;
}

/** What was measured; a part is absent if its goal was not asked for. */
export interface ScaleResults {
  readonly latency?: RestartLatency;
  readonly writes?: WriteCosts;
  readonly rollout?: Rollout;
  readonly pullJob?: readonly PullJobPoint[];
}

const SWEEP_MS = 75_000;
const RESTARTS_PER_SECOND = 20;

/** P4, P7, P8 and P9 on simulated nodes: our agents and our controller are real, what they talk to are models behind real sockets. */
export async function benchScale(options: ScaleOptions): Promise<ScaleResults> {
  const { goals, tell } = options;
  const latency = goals.includes("P4") ? await runLatency(options) : undefined;
  const pods = goals.includes("P7") || goals.includes("P8") ? await runPods(options) : {};
  const pullJob = goals.includes("P9") ? await runPullJobs(options) : undefined;
  if (options.svgPath !== undefined && pullJob !== undefined) {
    writeFileSync(options.svgPath, pullJobChart(pullJob));
    tell(`curves: ${options.svgPath}`);
  }
  return { ...(latency && { latency }), ...pods, ...(pullJob && { pullJob }) };
}

async function runLatency({ restarts, restartPods, settleMs, tell }: ScaleOptions): Promise<RestartLatency> {
  tell("P4: restarts on one node");
  const latency = await benchRestartLatency({ pods: restartPods, restarts, perSecond: RESTARTS_PER_SECOND, settleMs });
  latencyLines(latency).forEach(tell);
  return latency;
}

async function runPods(options: ScaleOptions): Promise<Pick<ScaleResults, "writes" | "rollout">> {
  const { goals, podNodes, together, sets, replicas, settleMs, idleMs, awaitSweep, tell } = options;
  const cluster = await SimCluster.start();
  try {
    await cluster.startController();
    await cluster.growTo(podNodes + 2);
    const [nodeA = "", nodeB = "", ...rest] = cluster.nodeNames;
    await cluster.api.call("bindPods", { names: rest });
    for (const host of cluster.hosts) await host.call("startKubelets", undefined);
    let writes: WriteCosts | undefined;
    if (goals.includes("P8")) {
      tell("P8: API writes of an env update in place, without events and the CloneSet's status");
      const alone = await benchEnvWrites(cluster, { name: "alone", replicas: 1, node: nodeA }, settleMs);
      const many = await benchEnvWrites(cluster, { name: "together", replicas: together, node: nodeB, maxUnavailable: "100%" }, settleMs);
      writes = { alone, together: many, sweep: awaitSweep ? await sweepAfter(cluster, nodeB) : undefined };
      writeLines(writes).forEach(tell);
    }
    if (!goals.includes("P7")) return writes === undefined ? {} : { writes };
    tell("P7: all CloneSets updated at the same moment");
    const rollout = await benchRollout(cluster, { sets, replicas, idleMs, settleMs });
    rolloutLines(rollout).forEach(tell);
    return { ...(writes && { writes }), rollout };
  } finally {
    await cluster.stop();
  }
}

async function sweepAfter(cluster: SimCluster, node: string): Promise<Awaited<ReturnType<typeof countSweep>>> {
  await cluster.api.call("clearWrites", undefined);
  await new Promise((resolve) => setTimeout(resolve, SWEEP_MS));
  return countSweep(cluster, node);
}

async function runPullJobs({ nodes, settleMs, idleMs, tell }: ScaleOptions): Promise<readonly PullJobPoint[]> {
  tell("P9: one ImagePullJob on all nodes at once");
  const cluster = await SimCluster.start();
  const points: PullJobPoint[] = [];
  try {
    for (const count of nodes) points.push(await benchPullJob(cluster, count, { settleMs, idleMs }));
    pullJobLines(points).forEach(tell);
    return points;
  } finally {
    await cluster.stop();
  }
}
