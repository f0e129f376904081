import { createAgent } from "../../src/cli/agent-tasks.js";
import { openCriRuntime } from "../../src/cri/grpc-runtime.js";
import type { KubeClient } from "../../src/kube/client.js";
import type { ServerAccess } from "../../src/kube/credentials.js";
import { createKubeClient } from "../../src/kube/kube-client.js";
import { createNodeWire } from "../../src/kube/node-http2-wire.js";
import { systemClock as clock } from "../../src/lib/clock.js";
import { parseFeatureGates } from "../../src/lib/feature-gates.js";
import { silentLogger as logger } from "../../src/lib/logger.js";
import { silentMetrics as metrics } from "../../src/lib/metrics.js";
import { systemRandom as random } from "../../src/lib/random.js";
import { runAll } from "../../src/lib/tasks.js";
import { RuntimeWorld } from "../../src/sim/runtime/runtime-world.js";
import { directTransport } from "./direct-transport.js";
import { NEVER } from "./never.js";
import type { ApiAccess } from "./product-process.js";

const GATES = parseFeatureGates("ImagePullJobGate=true");
const LOOK_MS = 20;

/** One node: its runtime, and our real agent with a TLS session of its own. */
export interface HostedNode {
  readonly name: string;
  readonly world: RuntimeWorld;
}

/** How to reach the API model: shared, since all agents of this process are the same to it. */
export function serverAccess({ port, ca, token }: ApiAccess): ServerAccess {
  const material = { ca };
  return {
    server: `https://127.0.0.1:${String(port)}`,
    credentials: { authorization: async () => `Bearer ${token}`, renew: () => undefined, tls: async () => material },
  };
}

/** A client with a connection of its own. */
export function connect(access: ServerAccess, component: string, qps = 0): KubeClient {
  const wire = createNodeWire({ ...access, clock });
  return createKubeClient({ wire, credentials: access.credentials, component, version: "bench", qps, clock, random, metrics });
}

/** Starts a node's agent and waits until it is ready; it runs as long as the process. */
export async function hostNode(name: string, access: ServerAccess): Promise<HostedNode> {
  const world = new RuntimeWorld(clock, random);
  const openTransport = (): ReturnType<typeof directTransport> => directTransport(world);
  const { runtime, images } = openCriRuntime({ socketPaths: [name], openTransport, clock, logger, metrics });
  const { tasks, checks } = createAgent({
    nodeName: name,
    client: connect(access, "agent"),
    runtime,
    images,
    gates: GATES,
    clock,
    random,
    logger,
    metrics,
  });
  const running = runAll(tasks, NEVER);
  const broken = running.then(() => {
    throw new Error(`the agent of ${name} has ended`);
  });
  broken.catch((error: unknown) => console.error(error));
  while (checks.some((check) => check.problem() !== undefined)) await Promise.race([clock.sleep(LOOK_MS, NEVER), broken]);
  return { name, world };
}
