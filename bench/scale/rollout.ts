import type { BareMethods } from "./bare-process.js";
import { Child } from "./child.js";
import { measured, type SimCluster } from "./cluster.js";
import type { CloneSetShape } from "./workload.js";
import type { WriteCounts } from "./write-log.js";

/** P7: many CloneSets, at rest and while all of them are updated at the same moment. */
export interface Rollout {
  readonly sets: number;
  readonly pods: number;
  readonly createMs: number;
  readonly idleRssMiB: number;
  readonly idleShare: number;
  readonly updateMs: number;
  readonly cpuMsPerPod: number;
  readonly peakRssMiB: number;
  readonly writes: WriteCounts;
  /** Of the controller, from its first to its last. */
  readonly writesPerSecond: number;
  readonly bareWritesPerSecond: number;
  readonly bareLanes: number;
  readonly apiShare: number;
  readonly hostShare: number;
}

export interface RolloutOptions {
  readonly sets: number;
  readonly replicas: number;
  readonly idleMs: number;
  readonly settleMs: number;
  readonly value?: string;
  readonly nodeArgs?: readonly string[];
}

const LANES = 16;

export async function benchRollout(cluster: SimCluster, options: RolloutOptions): Promise<Rollout> {
  const { sets, replicas, idleMs, settleMs, value = "v2" } = options;
  const shapes = Array.from({ length: sets }, (_, index): CloneSetShape => ({ name: `set-${String(index)}`, replicas }));
  const created = await cluster.api.call("createSets", { shapes });
  // The one measured begins with what there is, as after an upgrade.
  await cluster.startController(options.nodeArgs);
  await pause(settleMs);
  const idle = await measured(cluster, () => pause(idleMs));
  const { result, ...used } = await measured(cluster, () => cluster.api.call("updateSets", { shapes, value }));
  const { controller } = cluster;
  const peakRssMiB = controller.usage().peakRssMiB;
  const bare = await benchBare(cluster, result.writes, shapes);
  const ours = ofController(result.writes);
  return {
    sets,
    pods: sets * replicas,
    createMs: created.tookMs,
    idleRssMiB: idle.controller.rssMiB,
    idleShare: idle.controllerMs / idle.tookMs,
    updateMs: result.tookMs,
    cpuMsPerPod: used.controllerMs / (sets * replicas),
    peakRssMiB,
    writes: result.writes,
    writesPerSecond: (ours / result.busyMs) * 1000,
    ...bare,
    apiShare: used.apiShare,
    hostShare: used.hostShare,
  };
}

/** The same number of writes of each kind, by a client that does nothing else, while no controller runs. */
async function benchBare(
  cluster: SimCluster,
  writes: WriteCounts,
  shapes: readonly CloneSetShape[],
): Promise<Pick<Rollout, "bareWritesPerSecond" | "bareLanes">> {
  await cluster.stopController();
  const child = await Child.start<BareMethods>("bare-process", cluster.directory);
  try {
    const pods = await cluster.api.call("pods", undefined);
    const bare = await child.call("run", {
      api: cluster.access,
      lanes: LANES,
      pods: writes["controller pods"] ?? 0,
      cloneSets: writes["controller clonesets"] ?? 0,
      nodePodRestarts: writes["controller nodepodrestarts"] ?? 0,
      events: writes["controller events"] ?? 0,
      podNames: pods.map(({ name }) => name),
      cloneSetNames: shapes.map(({ name }) => name),
      nodeNames: cluster.nodeNames,
    });
    return { bareWritesPerSecond: (bare.writes / bare.tookMs) * 1000, bareLanes: LANES };
  } finally {
    await child.stop();
  }
}

function ofController(writes: WriteCounts): number {
  return Object.entries(writes).reduce((sum, [name, count]) => sum + (name.startsWith("controller ") ? count : 0), 0);
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
