import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NODES } from "../../api/resources.js";
import { failureMessage } from "../../lib/failure.js";
import { runAll } from "../../lib/tasks.js";
import { AccessControl } from "../../sim/api-server/access/access-control.js";
import { ADMINISTRATOR, type Identity, serviceAccountIdentity } from "../../sim/api-server/access/identity.js";
import type { PodLogRequest } from "../../sim/api-server/api-front.js";
import { ApiState } from "../../sim/api-server/api-state.js";
import { type ApiServer, startApiServer } from "../../sim/api-server/api-server.js";
import { toTime } from "../../sim/api-server/object-rules.js";
import { shippedKinds } from "../../sim/api-server/shipped-kinds.js";
import { loadCel } from "../../sim/cel/cel-engine.js";
import { selfSigned } from "../../sim/certificate.js";
import { Kubelet } from "../../sim/kubelet/kubelet.js";
import { createNodeApi } from "../../sim/kubelet/node-api.js";
import { Scheduler } from "../../sim/kubelet/scheduler.js";
import { LocalProcesses } from "../../sim/runtime/local-processes.js";
import { startRuntime, type SimRuntime } from "../../sim/runtime/runtime-server.js";
import type { Ports } from "../ports.js";
import { kubeconfigText } from "./kubeconfig-text.js";
import { RUNTIME_SOCKET } from "./workspace.js";

export const NODE_NAME = "demo-node";
/** Images of the demo's registry. */
export const IMAGES = {
  v1: "demo.local/app:v1",
  v2: "demo.local/app:v2",
  missing: "demo.local/app:v3-typo",
  sidecar: "demo.local/sidecar:v1",
} as const;

const HOST_IP = "10.99.0.1";
const KUBELET_LAG_MS = 20;
/** The app takes a moment to end, so that there is a middle of a restart. */
const APP_STOP_MS = 400;

export interface ClusterOptions {
  readonly ports: Ports;
  readonly directory: string;
  readonly port: number;
  readonly relistMs: number;
}

/** What a process of ours is. */
export type Role = "agent" | "controller";

/** The models of one cluster with one node, and real processes as its containers. */
export interface DemoCluster {
  readonly state: ApiState;
  readonly server: ApiServer;
  readonly runtime: SimRuntime;
  readonly processes: LocalProcesses;
  readonly kubeconfig: string;
  /** Environment of a pod in this cluster. */
  readonly env: Readonly<Record<string, string>>;
  /** Flags by which a process of ours has its own service account, with the rights that an installation gives it. */
  readonly args: (role: Role) => readonly string[];
  /** Changes of objects so far; leases and events do not count. */
  writes(): number;
  /** Images fetched so far. */
  pulls(): number;
  /** Rejects if a model breaks; never resolves before the signal. */
  readonly running: Promise<void>;
  close(): Promise<void>;
}

/** Starts it all. @throws {TypeError} if the port is taken */
export async function startCluster(options: ClusterOptions, signal: AbortSignal): Promise<DemoCluster> {
  const { ports, directory } = options;
  const { clock, random } = ports;
  const tokens = { admin: random.hex(32), agent: random.hex(32), controller: random.hex(32) };
  const tls = selfSigned("podmend-demo", clock.nowMs());
  const cel = await loadCel();
  const state = new ApiState({ clock, random, kinds: shippedKinds(cel) });
  const access = new AccessControl({ cel, identities: identitiesOf(tokens) });
  const processes = new LocalProcesses(directory);
  const podLog = (pod: PodLogRequest): string | undefined => logOf(pod, { runtime, processes });
  const server = await startApiServer({ state, tls, access, port: options.port, podLog }).catch((error: unknown) =>
    explainPort(error, options.port),
  );
  const runtime = await startRuntime({ socketPath: join(directory, RUNTIME_SOCKET), clock, random, processes });
  publishImages(runtime);
  const written = await writeAccess(directory, { url: server.url, port: server.port, ca: tls.cert, tokens });
  createNode(state);
  let writes = 0;
  state.database.subscribe(({ kind }) => {
    if (kind.plural !== "leases" && kind.plural !== "events") writes++;
  });
  const running = runAll([new Scheduler({ state, clock, nodeNames: [NODE_NAME] }), newKubelet(options, { state, runtime })], signal);
  running.catch(() => undefined); // whoever waits for a step sees it
  return {
    state,
    server,
    runtime,
    processes,
    ...written,
    writes: () => writes,
    pulls: () => runtime.world.images.pulls.length,
    running,
    async close() {
      await Promise.allSettled([running, processes.close()]);
      runtime.close();
      await server.stop();
      state.close();
    },
  };
}

function newKubelet({ ports, relistMs }: ClusterOptions, { state, runtime }: { state: ApiState; runtime: SimRuntime }): Kubelet {
  const { clock } = ports;
  let pods = 0;
  return new Kubelet({
    api: createNodeApi({ state, clock, nodeName: NODE_NAME, lagMs: KUBELET_LAG_MS }),
    world: runtime.world,
    clock,
    hostIP: HOST_IP,
    nextPodIP: () => `10.99.1.${String(++pods)}`,
    relistMs,
  });
}

function logOf(
  { namespace, name, container = "app" }: PodLogRequest,
  { runtime, processes }: Pick<DemoCluster, "runtime" | "processes">,
): string | undefined {
  const found = runtime.world.containers.list().find(({ state, labels }) => {
    const [pod, space] = [labels["io.kubernetes.pod.name"], labels["io.kubernetes.pod.namespace"]];
    return state === "CONTAINER_RUNNING" && pod === name && space === namespace && labels["io.kubernetes.container.name"] === container;
  });
  return found === undefined ? undefined : processes.log(found.id);
}

function publishImages({ world }: SimRuntime): void {
  const common = { sizeBytes: 8_000_000, bytesPerSecond: 16_000_000, latencyMs: 100 };
  world.images.publish({ ...common, reference: IMAGES.v1, program: { stopMs: APP_STOP_MS } });
  world.images.publish({ ...common, reference: IMAGES.v2, program: { stopMs: APP_STOP_MS } });
  world.images.publish({ ...common, reference: IMAGES.sidecar });
}

function createNode(state: ApiState): void {
  state.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: NODE_NAME } });
  const condition = { type: "Ready", status: "True", reason: "KubeletReady", lastTransitionTime: toTime(state.clock.nowMs()) };
  const body = { status: { conditions: [condition], addresses: [{ type: "InternalIP", address: HOST_IP }] } };
  state.patch(NODES, { name: NODE_NAME }, { contentType: "application/merge-patch+json", body, subresource: "status" });
}

type Tokens = Readonly<Record<Role | "admin", string>>;

function identitiesOf(tokens: Tokens): ReadonlyMap<string, Identity> {
  const namespace = "podmend-system";
  return new Map([
    [tokens.admin, ADMINISTRATOR],
    [tokens.agent, serviceAccountIdentity({ namespace, name: "podmend-agent" }, NODE_NAME)],
    [tokens.controller, serviceAccountIdentity({ namespace, name: "podmend-controller" })],
  ]);
}

interface Access {
  readonly url: string;
  readonly port: number;
  readonly ca: string;
  readonly tokens: Tokens;
}

async function writeAccess(directory: string, access: Access): Promise<Pick<DemoCluster, "kubeconfig" | "env" | "args">> {
  const { url, port, ca, tokens } = access;
  const kubeconfig = join(directory, "kubeconfig");
  const account = (role: Role): string => join(directory, `${role}-service-account`);
  const secret = { mode: 0o600 };
  for (const role of ["agent", "controller"] as const) {
    await mkdir(account(role));
    await writeFile(join(account(role), "token"), tokens[role], secret);
    await writeFile(join(account(role), "ca.crt"), ca);
  }
  await writeFile(kubeconfig, kubeconfigText({ url, ca, token: tokens.admin }), secret);
  return {
    kubeconfig,
    env: { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(port) },
    args: (role) => [`--service-account-directory=${account(role)}`],
  };
}

function explainPort(error: unknown, port: number): never {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
  throw new TypeError(`Cannot listen on port ${String(port)}: ${failureMessage(error)}; leave --port out to take any free one`, {
    cause: error,
  });
}
