import type { CloneSet } from "../../../src/api/clone-set.js";
import { SPECIFIED_DELETE } from "../../../src/api/names.js";
import type { Pod } from "../../../src/api/pod.js";
import { PODS } from "../../../src/api/resources.js";
import type { SimContainer } from "../../../src/sim/runtime/entities.js";
import type { SimCluster } from "../cluster/sim-cluster.js";
import { ANNOTATION, NAMESPACE, setOf } from "./workload.js";

/** What is wrong with the set and its pods; empty when the newest template runs everywhere and is ready. */
export function setProblems(cluster: SimCluster): readonly string[] {
  const set = setOf(cluster);
  const pods = cluster.state.list(PODS, NAMESPACE) as unknown as readonly Pod[];
  if (set === undefined) return leftovers(pods);
  const template = templateOf(set);
  return [...statusProblems(set, pods.length), ...pods.flatMap((pod) => podProblems(cluster, pod, template))];
}

/** Pods of a set that is gone go with it, or stay as they are. */
function leftovers(pods: readonly Pod[]): readonly string[] {
  return pods
    .filter(({ metadata }) => (metadata.ownerReferences ?? []).length > 0)
    .map(({ metadata }) => `pod "${metadata.name}" of a deleted set`);
}

interface Wanted {
  readonly image: string;
  readonly config: string;
}

function templateOf({ spec }: CloneSet): Wanted {
  const { metadata, spec: podSpec } = spec.template as {
    readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
    readonly spec: { readonly containers: readonly { readonly image: string }[] };
  };
  return { image: podSpec.containers[0]?.image ?? "", config: metadata.annotations[ANNOTATION] ?? "" };
}

function statusProblems({ metadata, spec, status }: CloneSet, podCount: number): readonly string[] {
  const replicas = spec.replicas ?? 1;
  const counts = [status?.replicas, status?.updatedReplicas, status?.updatedReadyReplicas, status?.updatedAvailableReplicas];
  const problems = [];
  if (counts.some((count) => count !== replicas)) problems.push(`status counts ${counts.join("/")} of ${String(replicas)}`);
  if (status?.observedGeneration !== metadata.generation) problems.push("status is of an older generation");
  if (podCount !== replicas) problems.push(`${String(podCount)} pods of ${String(replicas)}`);
  return problems;
}

function podProblems(cluster: SimCluster, pod: Pod, { image, config }: Wanted): readonly string[] {
  const running = runningApps(cluster, pod);
  const problems = [...conditionProblems(pod)];
  if (running.length !== 1) problems.push(`has ${String(running.length)} running instances of app`);
  for (const { envs, image: actual } of running) {
    const live = envs.find(({ key }) => key === "CONFIG")?.value;
    if (live !== config) problems.push(`runs with ${String(live)} instead of ${config}`);
    if (actual !== image || pod.spec.containers[0]?.image !== image) problems.push(`runs ${actual} instead of ${image}`);
  }
  return problems.map((problem) => `pod "${pod.metadata.name}" ${problem}`);
}

function conditionProblems({ metadata, status }: Pod): readonly string[] {
  if (metadata.deletionTimestamp !== undefined) return ["is being deleted"];
  if (metadata.labels?.[SPECIFIED_DELETE] !== undefined) return ["is about to be replaced"];
  return ["Ready", "InPlaceUpdateReady"]
    .filter((type) => status?.conditions?.find((condition) => condition.type === type)?.status !== "True")
    .map((type) => `has no ${type}`);
}

function runningApps({ nodes }: SimCluster, { metadata }: Pod): readonly SimContainer[] {
  return nodes
    .flatMap(({ world }) => world.containers.list())
    .filter(
      ({ labels, name, state }) => labels["io.kubernetes.pod.uid"] === metadata.uid && name === "app" && state === "CONTAINER_RUNNING",
    );
}
