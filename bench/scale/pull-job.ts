import { measured, type SimCluster } from "./cluster.js";
import type { WriteCounts } from "./write-log.js";

/** One job on one size of cluster. */
export interface PullJobPoint {
  readonly nodes: number;
  readonly rampUpMs: number;
  readonly tookMs: number;
  readonly succeeded: number;
  readonly controllerCpuMsPerNode: number;
  readonly statusWritesPerSecond: number;
  readonly writes: WriteCounts;
  readonly controllerRssMiB: number;
  readonly controllerPeakRssMiB: number;
  /** Of a core, while nothing happens but heartbeats. */
  readonly idleControllerShare: number;
  readonly apiShare: number;
  readonly hostShare: number;
  readonly memoryMiB: { readonly api: number; readonly hosts: number; readonly controller: number };
  /** The API model was so busy that the figures say more about it than about us. */
  readonly isVoid: boolean;
}

const PULL_MS = 200;
const VOID_FROM = 0.85;

export interface PullJobOptions {
  /** How long a controller that has just started is left alone. */
  readonly settleMs: number;
  /** How long to watch the idle cluster then. */
  readonly idleMs: number;
  readonly nodeArgs?: readonly string[];
  /** Tells the jobs of one cluster apart. Default: after the number of nodes. */
  readonly name?: string;
}

/** P9: one ImagePullJob on all nodes at once, with a fresh controller. */
export async function benchPullJob(
  cluster: SimCluster,
  count: number,
  { settleMs, idleMs, nodeArgs, name = `job-${String(count)}` }: PullJobOptions,
): Promise<PullJobPoint> {
  await cluster.startController(nodeArgs);
  const rampUpMs = await cluster.growTo(count);
  // The one measured has not created thousands of objects before: it begins as after an upgrade.
  await cluster.startController(nodeArgs);
  const image = `registry.test/job:${name}`;
  for (const host of cluster.hosts) await host.call("publish", { image, latencyMs: PULL_MS });
  await pause(settleMs);
  const idle = await measured(cluster, () => pause(idleMs));
  const { result, ...used } = await measured(cluster, () => cluster.api.call("runJob", { name, image }));
  return {
    nodes: count,
    rampUpMs,
    tookMs: result.tookMs,
    succeeded: result.status?.succeeded ?? 0,
    controllerCpuMsPerNode: used.controllerMs / count,
    statusWritesPerSecond: result.statusWritesPerSecond,
    writes: result.writes,
    controllerRssMiB: idle.controller.rssMiB,
    controllerPeakRssMiB: used.controller.peakRssMiB,
    idleControllerShare: idle.controllerMs / idle.tookMs,
    apiShare: used.apiShare,
    hostShare: used.hostShare,
    memoryMiB: cluster.memory(),
    isVoid: used.apiShare > VOID_FROM,
  };
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
