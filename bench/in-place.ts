import type { Pod } from "../src/api/pod.js";
import {
  inNode,
  instances,
  isReady,
  api,
  cloneSet,
  cloneSetsPath,
  dropNamespace,
  envFrom,
  makeNamespace,
  type CloneSetShape,
  type List,
} from "../test/e2e/support/cluster.js";
import { quantile, row, verdict } from "./statistics.js";

/** env: an annotation that an env entry reads. image: another image. bare: SIGTERM to the container's task, the floor of any restart. */
const KINDS = ["env", "image", "bare"] as const;
type Kind = (typeof KINDS)[number];

/** When, after the change, the new container was seen running and the pod ready, from outside. */
interface Sample {
  readonly runningMs: number;
  readonly readyMs: number;
}

const GIVE_UP_MS = 90_000;
/** Two events of one pod update are seen within this time. */
const SAME_UPDATE_MS = 5;
const QUIET_MS = 300;
const KUBELET_PERIOD_MS = 1_000;

/** P1 and P1b: one step of each kind in turn, each on a pod that was never touched, at a random phase of the kubelet's one-second look. */
export async function benchInPlace(rounds: number): Promise<Readonly<Record<string, unknown>>> {
  const namespace = await makeNamespace("bench-inplace");
  const pods = new Map<string, Pod>();
  let onPod: (pod: Pod) => void = () => undefined;
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const first = await api.get<List<Pod> & { metadata: { resourceVersion: string } }>(path);
  const stopWatch = api.watch<Pod>(path, first.metadata.resourceVersion, ({ type, object }) => {
    if (type === "DELETED") pods.delete(object.metadata.name);
    else pods.set(object.metadata.name, object);
    onPod(object);
  });
  try {
    for (const kind of KINDS) await api.create(cloneSetsPath(namespace), cloneSet(shape(kind, namespace, rounds)));
    await until(() => [...pods.values()].filter(isReady).length === KINDS.length * (rounds + 1));
    await pause(3_000);
    const samples: Record<Kind, Sample[]> = { env: [], image: [], bare: [] };
    const phases = { env: phasesMs(rounds), image: phasesMs(rounds), bare: phasesMs(rounds) };
    for (let round = 0; round < rounds; round++) {
      for (const kind of KINDS) {
        // The step before ended with a look of the kubelet.
        await pause(QUIET_MS + (phases[kind][round] ?? 0));
        const step = { kind, namespace, partition: rounds - round, pods, watch: (handler: (pod: Pod) => void) => (onPod = handler) };
        samples[kind].push(await measure(step));
        onPod = () => undefined;
      }
    }
    return report(samples);
  } finally {
    stopWatch();
    await dropNamespace(namespace);
  }
}

/** One moment in each of `rounds` equal parts of the kubelet's second, in random order: every phase counts alike, in every kind. */
function phasesMs(rounds: number): readonly number[] {
  const moments = Array.from({ length: rounds }, (_, part) => ((part + Math.random()) / rounds) * KUBELET_PERIOD_MS);
  return moments
    .map((moment) => ({ moment, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ moment }) => moment);
}

function shape(kind: Kind, namespace: string, rounds: number): CloneSetShape {
  return {
    name: kind,
    namespace,
    replicas: rounds + 1,
    updateStrategy: { partition: rounds + 1 },
    annotations: { config: "v0" },
    podSpec: { tolerations: [{ operator: "Exists" }], containers: [container("lab.local/app:v1")] },
  };
}

function container(image: string): object {
  return { name: "app", image, env: [envFrom("CONFIG", "annotations", "config")] };
}

interface Step {
  readonly kind: Kind;
  readonly namespace: string;
  readonly partition: number;
  readonly pods: ReadonlyMap<string, Pod>;
  readonly watch: (handler: (pod: Pod) => void) => void;
}

async function measure(step: Step): Promise<Sample> {
  const before = new Map([...step.pods].map(([name, pod]) => [name, instances(pod)["app"]?.id]));
  const startMs = performance.now();
  let changed: string | undefined;
  let runningMs = Number.POSITIVE_INFINITY;
  const seen = new Promise<Sample>((resolve) => {
    step.watch((pod) => {
      const { name, labels } = pod.metadata;
      if (labels?.["app"] !== step.kind) return;
      const status = pod.status?.containerStatuses?.[0];
      if (changed === undefined && status?.state?.running !== undefined && status.containerID !== before.get(name)) {
        changed = name;
        runningMs = performance.now() - startMs;
      }
      if (changed === name && isReady(pod)) resolve({ runningMs, readyMs: performance.now() - startMs });
    });
  });
  await change(step);
  const never = pause(GIVE_UP_MS).then(() => ({ runningMs, readyMs: Number.POSITIVE_INFINITY }));
  return Promise.race([seen, never]);
}

async function change({ kind, namespace, partition, pods }: Step): Promise<void> {
  if (kind === "bare") {
    const fresh = [...pods.values()].find((pod) => pod.metadata.labels?.["app"] === "bare" && instances(pod)["app"]?.restartCount === 0);
    const id = fresh === undefined ? "" : (instances(fresh)["app"]?.id.split("//")[1] ?? "");
    await inNode(fresh?.spec.nodeName ?? "", ["ctr", "-n", "k8s.io", "task", "kill", "-s", "SIGTERM", id]);
    return;
  }
  const template =
    kind === "env" ? { metadata: { annotations: { config: "v1" } } } : { spec: { containers: [container("lab.local/app:v2")] } };
  await api.mergePatch(cloneSetsPath(namespace, kind), { spec: { updateStrategy: { partition }, template } });
}

/** How much later than the new container the pod was seen ready; 0 when one update of the pod told both. */
function laterMs(samples: readonly Sample[]): readonly number[] {
  return samples.map(({ runningMs, readyMs }) => readyMs - runningMs);
}

function report(samples: Readonly<Record<Kind, readonly Sample[]>>): Readonly<Record<string, unknown>> {
  const running = (kind: Kind): readonly number[] => samples[kind].map(({ runningMs }) => runningMs);
  const ready = (kind: Kind): readonly number[] => samples[kind].map(({ readyMs }) => readyMs);
  for (const kind of KINDS) console.log(`${row(`${kind}: running`, running(kind), "ms")}\n${row(`${kind}: Ready`, ready(kind), "ms")}`);
  const ratio = (of: readonly number[], floor: readonly number[], share: number): number => quantile(of, share) / quantile(floor, share);
  const ratios = {
    "P1 env / bare stop, running p50": [ratio(running("env"), running("bare"), 0.5), 1.1],
    "P1 env / bare stop, running p90": [ratio(running("env"), running("bare"), 0.9), 1.1],
    "P1 env / bare stop, Ready p50": [ratio(ready("env"), ready("bare"), 0.5), 1.15],
    "P1 env / bare stop, Ready p90": [ratio(ready("env"), ready("bare"), 0.9), 1.15],
    "P1b image: Ready after running p50, ms": [quantile(laterMs(samples.image), 0.5), SAME_UPDATE_MS],
  } as const;
  for (const [goal, [reached, limit]] of Object.entries(ratios)) console.log(verdict(goal, reached, limit));
  return { samples, ratios: Object.fromEntries(Object.entries(ratios).map(([goal, [reached]]) => [goal, reached])) };
}

async function until(isTrue: () => boolean): Promise<void> {
  const endMs = performance.now() + GIVE_UP_MS * 2;
  while (!isTrue()) {
    if (performance.now() > endMs) throw new Error("the pods of the benchmark did not become ready");
    await pause(50);
  }
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
