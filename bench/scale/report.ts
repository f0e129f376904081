import { atLeast, quantile, verdict } from "../statistics.js";
import { chart, type Panel } from "./chart.js";
import type { EnvWrites } from "./env-writes.js";
import type { PullJobPoint } from "./pull-job.js";
import type { RestartLatency } from "./restart-latency.js";
import type { Rollout } from "./rollout.js";
import type { WriteCounts } from "./write-log.js";

/** P8 as a whole. */
export interface WriteCosts {
  readonly alone: EnvWrites;
  readonly together: EnvWrites;
  /** What a node's object costs once more, a minute after its last request; undefined: not waited for. */
  readonly sweep?: WriteCounts | undefined;
}

const SLOPE_TOLERANCE = 0.25;

export function latencyLines({ samplesMs, floorMs, pods, agent }: RestartLatency): readonly string[] {
  const line = (name: string, samples: readonly number[]): string => {
    const [p10, p50, p90, p99] = [0.1, 0.5, 0.9, 0.99].map((share) => quantile(samples, share).toFixed(2));
    return `  ${name.padEnd(34)} n ${String(samples.length)}  p10 ${p10 ?? ""}  p50 ${p50 ?? ""}  p90 ${p90 ?? ""}  p99 ${p99 ?? ""} ms`;
  };
  return [
    line(`agent, ${String(pods)} pods`, samplesMs),
    line("floor: watch and stop, no more", floorMs),
    `  agent: ${agent.rssMiB.toFixed(0)} MiB`,
    // The way there and back is in both; the floor's median is what it takes at least.
    verdict("P4 agent-added: event delivered -> StopContainer sent, p50, ms", quantile(samplesMs, 0.5) - quantile(floorMs, 0.5), 3),
    verdict("P4 agent-added: event delivered -> StopContainer sent, p99, ms", quantile(samplesMs, 0.99) - quantile(floorMs, 0.5), 20),
  ];
}

export function writeLines({ alone, together, sweep }: WriteCosts): readonly string[] {
  const line = (name: string, { writes, tookMs }: EnvWrites): string => `  ${name.padEnd(34)} ${counts(writes)} in ${tookMs.toFixed(0)} ms`;
  return [
    line("one pod alone", alone),
    line(`${String(together.pods)} pods of one node`, together),
    ...(sweep === undefined ? [] : [`  ${"sweep of a node a minute later".padEnd(34)} ${counts(sweep)}`]),
    verdict("P8 API writes per env update, alone", alone.writesPerPod, 6),
    verdict(`P8 API writes per env update, ${String(together.pods)} pods`, together.writesPerPod, 4),
    // The API server sees two writes closer than they were sent, or further apart.
    atLeast("P8 smallest gap between one writer's writes of a node, ms", Math.min(alone.smallestGapMs, together.smallestGapMs), 90),
  ];
}

export function rolloutLines(rollout: Rollout): readonly string[] {
  const { sets, pods, createMs, updateMs, writes, apiShare, hostShare } = rollout;
  const { writesPerSecond, bareWritesPerSecond, bareLanes } = rollout;
  return [
    `  ${String(sets)} CloneSets, ${String(pods)} pods: created in ${seconds(createMs)}, all updated in ${seconds(updateMs)}`,
    `  writes of the update: ${counts(writes)}`,
    `  busy: API model ${percent(apiShare)}, nodes ${percent(hostShare)} of a core; limits: no rate limit, 3 CloneSets at a time`,
    `  writes a second: controller ${writesPerSecond.toFixed(0)}, bare client with ${String(bareLanes)} at a time ${bareWritesPerSecond.toFixed(0)}`,
    verdict("P7 controller at rest, MiB", rollout.idleRssMiB, 250),
    verdict("P7 controller at rest, % of a core", rollout.idleShare * 100, 1),
    verdict("P7 controller peak, MiB", rollout.peakRssMiB, 350),
    verdict("P7 controller CPU per pod update, ms", rollout.cpuMsPerPod, 2),
    atLeast("P7 writes a second / bare client's", writesPerSecond / bareWritesPerSecond, 0.7),
  ];
}

export function pullJobLines(points: readonly PullJobPoint[]): readonly string[] {
  const table = points.map((point) => {
    const { nodes, rampUpMs, tookMs, memoryMiB, apiShare, hostShare, idleControllerShare, controllerRssMiB, writes } = point;
    const memory = `API ${memoryMiB.api.toFixed(0)}, nodes ${memoryMiB.hosts.toFixed(0)}, controller ${memoryMiB.controller.toFixed(0)} MiB`;
    return [
      `  ${String(nodes)} nodes: ramp-up ${seconds(rampUpMs)}, job ${seconds(tookMs)}${point.isVoid ? "  VOID: the API model was too busy" : ""}`,
      `    busy: API model ${percent(apiShare)}, nodes ${percent(hostShare)}; at rest: controller ${percent(idleControllerShare)}, ${controllerRssMiB.toFixed(0)} MiB`,
      `    ${memory}; ${counts(writes)}`,
    ].join("\n");
  });
  const verdicts = points.flatMap(({ nodes, controllerCpuMsPerNode, statusWritesPerSecond, controllerPeakRssMiB }) => [
    verdict(`P9 ${String(nodes)} nodes: controller CPU per node, ms`, controllerCpuMsPerNode, 0.6),
    verdict(`P9 ${String(nodes)} nodes: writes of the job's status a second`, statusWritesPerSecond, 1),
    verdict(`P9 ${String(nodes)} nodes: controller peak, MiB`, controllerPeakRssMiB, 256),
  ]);
  return [...table, "  limits: no rate limit, 32 NodeImages written at a time, parallelism = nodes", ...verdicts, ...slopeLines(points)];
}

/** How evenly time and CPU grow: what each further node costs, beyond the largest point beside before it. */
function slopeLines(points: readonly PullJobPoint[]): readonly string[] {
  const lines: string[] = [];
  for (const [name, of] of [
    ["time", (point: PullJobPoint) => point.tookMs],
    ["controller CPU", (point: PullJobPoint) => point.controllerCpuMsPerNode * point.nodes],
  ] as const) {
    const slopes = points.slice(1).map((point, index) => {
      const before = points[index] ?? point;
      return (of(point) - of(before)) / (point.nodes - before.nodes);
    });
    const [first, last] = [slopes.at(-2), slopes.at(-1)];
    if (first === undefined || last === undefined) continue;
    lines.push(`  each further node: ${name} ${slopes.map((slope) => slope.toFixed(2)).join(", then ")} ms`);
    lines.push(verdict(`P9 change of slope of ${name}`, Math.abs(last / first - 1), SLOPE_TOLERANCE));
  }
  return lines;
}

/** The curves of P9 over the number of nodes. */
export function pullJobChart(points: readonly PullJobPoint[]): string {
  const curve = (name: string, of: (point: PullJobPoint) => number) => ({
    name,
    points: points.map((point) => [point.nodes, of(point)] as const),
  });
  const sum = (point: PullJobPoint, actor: string): number => {
    return Object.entries(point.writes).reduce((all, [name, count]) => all + (name.startsWith(`${actor} `) ? count : 0), 0);
  };
  const panels: readonly Panel[] = [
    { title: "one ImagePullJob: seconds to completion", curves: [curve("job", ({ tookMs }) => tookMs / 1000)] },
    {
      title: "API writes",
      curves: [curve("controller", (point) => sum(point, "controller")), curve("agents", (point) => sum(point, "agent"))],
    },
    { title: "controller CPU, ms per node", curves: [curve("controller", (point) => point.controllerCpuMsPerNode)], limit: 0.6 },
    {
      title: "controller memory, MiB",
      curves: [curve("at rest", (point) => point.controllerRssMiB), curve("peak", (point) => point.controllerPeakRssMiB)],
      limit: 256,
    },
  ];
  return chart(panels);
}

function counts(writes: WriteCounts): string {
  return Object.entries(writes)
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(", ");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
