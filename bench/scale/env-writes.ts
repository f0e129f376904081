import { NODE_POD_RESTARTS } from "../../src/api/resources.js";
import type { SimCluster } from "./cluster.js";
import type { CloneSetShape } from "./workload.js";
import { countWrites, type Write, type WriteCounts } from "./write-log.js";

/** P8: what one env update in place costs in writes, without events and the CloneSet's status. */
export interface EnvWrites {
  readonly pods: number;
  /** Per pod, until it is ready again. */
  readonly writesPerPod: number;
  readonly writes: WriteCounts;
  /** The smallest time between two writes of one writer to the node's object. Infinite: there were no two. */
  readonly smallestGapMs: number;
  readonly tookMs: number;
}

/** Updates one CloneSet, all of whose pods are on one node, and counts. */
export async function benchEnvWrites(
  cluster: SimCluster,
  shape: CloneSetShape & { readonly node: string },
  quietMs: number,
): Promise<EnvWrites> {
  await cluster.api.call("createSets", { shapes: [shape] });
  await pause(quietMs);
  const { tookMs } = await cluster.api.call("updateSets", { shapes: [shape], value: "v2" });
  await pause(quietMs);
  const own = (await cluster.api.call("writes", undefined)).filter((write) => isCounted(write, shape));
  const writesPerPod = own.length / shape.replicas;
  return { pods: shape.replicas, writesPerPod, writes: countWrites(own), smallestGapMs: smallestGapMs(own), tookMs };
}

/** What the sweep of finished requests costs, a minute later. */
export async function countSweep(cluster: SimCluster, node: string): Promise<WriteCounts> {
  const writes = await cluster.api.call("writes", undefined);
  return countWrites(writes.filter((write) => write.name === node && write.plural === NODE_POD_RESTARTS.plural));
}

function isCounted({ actor, plural, name }: Write, { name: setName, node }: CloneSetShape): boolean {
  if (actor !== "controller" && actor !== "agent") return false;
  if (plural === NODE_POD_RESTARTS.plural) return name === node;
  return plural === "pods" ? name.startsWith(`${setName}-`) : plural === "controllerrevisions";
}

function smallestGapMs(writes: readonly Write[]): number {
  const gaps = (["controller", "agent"] as const).flatMap((writer) => {
    const times = writes.filter(({ actor, plural }) => actor === writer && plural === NODE_POD_RESTARTS.plural).map(({ atMs }) => atMs);
    return times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
  });
  return Math.min(Number.POSITIVE_INFINITY, ...gaps);
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
