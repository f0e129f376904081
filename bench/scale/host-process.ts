import type { Pod } from "../../src/api/pod.js";
import { PODS } from "../../src/api/resources.js";
import type { ServerAccess } from "../../src/kube/credentials.js";
import { createInformer } from "../../src/kube/reflector.js";
import { systemClock as clock } from "../../src/lib/clock.js";
import { silentLogger as logger } from "../../src/lib/logger.js";
import { silentMetrics as metrics } from "../../src/lib/metrics.js";
import { systemRandom as random } from "../../src/lib/random.js";
import { connect, type HostedNode, hostNode, serverAccess } from "./agent-host.js";
import { BenchKubelet } from "./bench-kubelet.js";
import { serveCalls } from "./calls.js";
import { Lanes } from "./lanes.js";
import { NEVER } from "./never.js";
import type { ApiAccess } from "./product-process.js";
import { IMAGE } from "./workload.js";

/** So many agents connect at a time: each handshake has 10 s. */
const BATCH = 100;
const NO_LIMIT = -1;
const KUBELET_LANES = 64;

const nodes = new Map<string, HostedNode>();
let access: ServerAccess;

/** A process that is many nodes: their runtimes, our agents, and where pods are wanted the kubelets. */
const methods = {
  start(api: ApiAccess): void {
    access = serverAccess(api);
  },

  /** @returns when all these agents are ready */
  async addNodes({ names }: { readonly names: readonly string[] }): Promise<void> {
    for (let index = 0; index < names.length; index += BATCH) {
      const added = await Promise.all(names.slice(index, index + BATCH).map((name) => hostNode(name, access)));
      for (const node of added) nodes.set(node.name, node);
    }
  },

  /** Puts an image into the registry that all nodes here pull from. */
  publish({ image, latencyMs }: { readonly image: string; readonly latencyMs: number }): void {
    for (const { world } of nodes.values()) world.images.publish({ reference: image, sizeBytes: 4_000_000, latencyMs });
  },

  /** Gives every node here a kubelet; they share one watch of all pods. */
  async startKubelets(_params: undefined): Promise<void> {
    const client = connect(access, "kubelet", NO_LIMIT);
    const lanes = new Lanes(KUBELET_LANES);
    for (const { world } of nodes.values()) world.images.preload({ reference: IMAGE, sizeBytes: 4_000_000 });
    const kubelets = new Map(
      [...nodes.values()].map(({ name, world }) => [name, new BenchKubelet({ client, world, clock, random, lanes })]),
    );
    const pods = createInformer<Pod>({ resource: PODS, client, clock, random, logger, metrics });
    pods.onChange(({ before, after }) => {
      const pod = after ?? before;
      if (pod !== undefined) kubelets.get(pod.spec.nodeName ?? "")?.take(pod, after === undefined);
    });
    void pods.run(NEVER);
    await pods.waitForSync(NEVER);
  },
};

export type HostMethods = typeof methods;
serveCalls(methods);
