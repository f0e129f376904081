import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@jest/globals";
import type { Resource } from "../../../src/api/meta.js";
import type { NodeImage } from "../../../src/api/node-image.js";
import type { NodePodRestart } from "../../../src/api/node-pod-restart.js";
import { NODE_IMAGES, NODE_POD_RESTARTS } from "../../../src/api/resources.js";
import { type SimRuntime, startRuntime } from "../../../src/sim/runtime/runtime-server.js";
import type { PodContainer } from "../../../src/sim/runtime/runtime-world.js";
import { documentedMetrics, servedMetrics } from "../../support/metrics-page.js";
import { type ClusterModel, startClusterModel } from "./cluster-model.js";
import type { Product, ProductProcess } from "./product.js";

export const NODE = "node-a";
export const POD = { namespace: "shop", name: "web-0", uid: "uid-1" };

/** Models of a cluster and of one node's runtime, for real agent processes. */
export interface AgentLab {
  readonly cluster: ClusterModel;
  readonly runtime: SimRuntime;
  /** Where the runtime's socket is. */
  readonly runDirectory: string;
  start(args?: readonly string[]): ProductProcess;
  /** Changes the spec of one of the node's two objects. */
  ask(resource: Resource, spec: object): void;
  nodePodRestart(): NodePodRestart;
  nodeImage(): NodeImage;
  /** The kubelet's part in a restart: runs this when a container has stopped. */
  bringBackOnce(next: PodContainer): void;
}

/** Runs a test's body in a lab of its own, so that tests can run side by side. */
export async function inAgentLab(building: Promise<Product>, body: (lab: AgentLab) => Promise<void>): Promise<void> {
  const product = await building;
  const cluster = await startClusterModel();
  const runDirectory = await mkdtemp(join(tmpdir(), "podmend-run-"));
  const runtime = await startRuntime({ socketPath: join(runDirectory, "containerd.sock") });
  const agents: ProductProcess[] = [];
  const create = (resource: Resource): unknown =>
    cluster.state.create(resource, {
      apiVersion: `${resource.group}/${resource.version}`,
      kind: resource.kind,
      metadata: { name: NODE },
      spec: {},
    });
  create(NODE_IMAGES);
  create(NODE_POD_RESTARTS);
  const lab: AgentLab = {
    cluster,
    runtime,
    runDirectory,
    start(args = []) {
      const own = ["--addr=127.0.0.1:0", `--run-directory=${runDirectory}`, "--socket-file=containerd.sock", "-v=4"];
      const gates = "--feature-gates=ImagePullJobGate=true";
      const agent = product.start(["agent", ...own, gates, ...cluster.args, ...args], { NODE_NAME: NODE, ...cluster.env });
      agents.push(agent);
      return agent;
    },
    ask: (resource, spec) =>
      void cluster.state.patch(resource, { name: NODE }, { contentType: "application/merge-patch+json", body: { spec } }),
    nodePodRestart: () => cluster.state.get(NODE_POD_RESTARTS, { name: NODE }) as unknown as NodePodRestart,
    nodeImage: () => cluster.state.get(NODE_IMAGES, { name: NODE }) as unknown as NodeImage,
    bringBackOnce(next) {
      const unwatch = runtime.world.containers.watch(({ type, container }) => {
        if (type !== "CONTAINER_STOPPED_EVENT") return;
        unwatch();
        setTimeout(() => runtime.world.runContainer({ id: container.sandboxId }, POD, next), 50);
      });
    },
  };
  try {
    await body(lab);
  } finally {
    await Promise.all(agents.map((agent) => agent.end("SIGKILL")));
    runtime.close();
    await cluster.close();
    await rm(runDirectory, { recursive: true, force: true });
  }
}

/** Fails if a scrape shows a metric otherwise than docs/metrics.md does. */
export function expectDocumented(scrape: string): void {
  const documented = documentedMetrics();
  for (const [name, { type, labels }] of servedMetrics(scrape)) {
    const shown = documented.get(name);
    expect({ name, type }).toEqual({ name, type: shown?.type });
    for (const label of labels) expect([name, shown?.labels]).toEqual([name, expect.arrayContaining([label])]);
  }
}

/** Waits until a process says that it is ready. */
export function ready(process: ProductProcess, timeoutMs?: number): Promise<void> {
  return process.readyz(({ status, text }) => expect({ status, text }).toMatchObject({ status: 200 }), timeoutMs);
}
