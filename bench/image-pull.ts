import type { ImagePullJob } from "../src/api/image-pull-job.js";
import { openCriRuntime } from "../src/cri/grpc-runtime.js";
import { systemClock } from "../src/lib/clock.js";
import { silentLogger } from "../src/lib/logger.js";
import { silentMetrics } from "../src/lib/metrics.js";
import { api, dropNamespace, makeNamespace, nodeNames, nodePid, type List } from "../test/e2e/support/cluster.js";
import { quantile, row, verdict } from "./statistics.js";

const IMAGE = "lab.local/app:v1";
const GIVE_UP_MS = 60_000;

/** P3: an ImagePullJob on all nodes, and with parallelism 1, beside a bare CRI PullImage of the same image on each node. */
export async function benchImagePull(rounds: number): Promise<Readonly<Record<string, unknown>>> {
  const namespace = await makeNamespace("bench-pull");
  const nodes = await nodeNames();
  try {
    const bare: number[] = [];
    const together: number[] = [];
    const oneByOne: number[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const node of nodes) bare.push(await barePull(node));
      together.push(await job(namespace, nodes.length));
      oneByOne.push(await job(namespace, 1));
    }
    console.log(row("bare CRI PullImage", bare, "ms"));
    console.log(row(`ImagePullJob, ${nodes.length} nodes at once`, together, "ms"));
    console.log(row(`ImagePullJob, ${nodes.length} nodes one by one`, oneByOne, "ms"));
    const floorMs = quantile(bare, 0.5);
    const perNode = (quantile(oneByOne, 0.5) - quantile(together, 0.5)) / (nodes.length - 1) / floorMs;
    console.log(verdict("P3 job / bare PullImage p50", quantile(together, 0.5) / floorMs, 6));
    console.log(verdict("P3 each further node / bare PullImage", perNode, 3));
    return { bare, together, oneByOne };
  } finally {
    await dropNamespace(namespace);
  }
}

async function barePull(node: string): Promise<number> {
  const socketPaths = [`/proc/${nodePid(node)}/root/run/containerd/containerd.sock`];
  const cri = openCriRuntime({ socketPaths, clock: systemClock, logger: silentLogger, metrics: silentMetrics });
  const { signal } = new AbortController();
  try {
    await cri.runtime.version(signal);
    const startMs = performance.now();
    await cri.images.pullImage({ reference: IMAGE, timeoutMs: GIVE_UP_MS }, signal);
    return performance.now() - startMs;
  } finally {
    cri.close();
  }
}

/** From the job's creation until its completion is seen, by a watch. */
async function job(namespace: string, parallelism: number): Promise<number> {
  const name = `bench-${Math.random().toString(36).slice(2, 8)}`;
  const path = `/apis/apps.kruise.io/v1beta1/namespaces/${namespace}/imagepulljobs`;
  const { metadata } = await api.get<List<ImagePullJob> & { metadata: { resourceVersion: string } }>(path);
  const ended = watchForEnd({ path, name, resourceVersion: metadata.resourceVersion });
  const startMs = performance.now();
  await api.create(path, {
    apiVersion: "apps.kruise.io/v1beta1",
    kind: "ImagePullJob",
    metadata: { name, namespace },
    spec: { image: IMAGE, imagePullPolicy: "Always", parallelism, completionPolicy: { type: "Always", ttlSecondsAfterFinished: 5 } },
  });
  const { status, atMs } = await ended;
  if (status?.succeeded !== status?.desired) throw new Error(`the job ended with ${JSON.stringify(status)}`);
  return atMs - startMs;
}

interface Ended {
  readonly status: ImagePullJob["status"];
  readonly atMs: number;
}

function watchForEnd({ path, name, resourceVersion }: { path: string; name: string; resourceVersion: string }): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const giveUp = setTimeout(() => {
      stop();
      reject(new Error(`the job did not end in ${GIVE_UP_MS} ms`));
    }, GIVE_UP_MS);
    const stop = api.watch<ImagePullJob>(path, resourceVersion, ({ object: { metadata, status } }) => {
      if (metadata.name !== name || status?.completionTime === undefined) return;
      clearTimeout(giveUp);
      stop();
      resolve({ status, atMs: performance.now() });
    });
  });
}
