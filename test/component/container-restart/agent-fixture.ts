import { containerRestartTasks } from "../../../src/agent/container-restart/tasks.js";
import type { AgentDependencies } from "../../../src/agent/dependencies.js";
import type { NodePodRestart, PodRestart } from "../../../src/api/node-pod-restart.js";
import { NODE_POD_RESTARTS } from "../../../src/api/resources.js";
import type { EventFact } from "../../../src/kube/event-recorder.js";
import type { Informer } from "../../../src/kube/informer.js";
import { createInformer } from "../../../src/kube/reflector.js";
import { systemClock } from "../../../src/lib/clock.js";
import { silentLogger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { systemRandom } from "../../../src/lib/random.js";
import { runAll } from "../../../src/lib/tasks.js";
import type { SimContainer } from "../../../src/sim/runtime/entities.js";
import type { PodContainer } from "../../../src/sim/runtime/runtime-world.js";
import { type CriFixture, startCriFixture } from "../../support/cri-fixture.js";
import { type KubeFixture, startKubeFixture } from "../../support/kube-fixture.js";

export const NODE = "node-a";
export const POD = { namespace: "shop", name: "web-0", uid: "uid-1" };
const MERGE = "application/merge-patch+json";

/** An agent on a model node, with a kubelet that brings ended containers back. */
export interface AgentFixture {
  readonly kube: KubeFixture;
  readonly cri: CriFixture;
  readonly events: readonly EventFact[];
  /** Value of CONFIG that the kubelet gives to the containers that it starts from now on. */
  kubeletEnv: string;
  /** While true, ended containers stay ended. */
  isKubeletPaused: boolean;
  startAgent(): Promise<RunningAgent>;
  /** Runs a container as the kubelet does, under the fixture's pod. */
  run(container: PodContainer): SimContainer;
  ask(podRestarts: readonly PodRestart[]): void;
  object(): NodePodRestart;
  /** CRI calls so far, by method. */
  calls(method: string): number;
  /** Writes of the status so far. */
  statusWrites(): number;
  stop(): Promise<void>;
}

export interface RunningAgent {
  /** As if killed: nothing of it goes on. */
  kill(): Promise<void>;
}

export async function startAgentFixture(): Promise<AgentFixture> {
  const kube = await startKubeFixture();
  const cri = await startCriFixture();
  const calls = new Map<string, number>();
  cri.world.faults.intercept = async (method) => void calls.set(method, (calls.get(method) ?? 0) + 1);
  const containers = new Map<string, PodContainer>();
  const events: EventFact[] = [];
  const agents = new Set<RunningAgent>();
  const { state } = kube.server;
  state.create(NODE_POD_RESTARTS, { apiVersion: "node.podmend.io/v1alpha1", kind: "NodePodRestart", metadata: { name: NODE }, spec: {} });
  const sandbox = cri.world.containers.addSandbox({ ...POD, attempt: 0, labels: {}, annotations: {} });
  const fixture: AgentFixture = {
    kube,
    cri,
    events,
    kubeletEnv: "new",
    isKubeletPaused: false,
    async startAgent() {
      const agent = await runAgent(kube, cri, events);
      agents.add(agent);
      return agent;
    },
    run(container) {
      containers.set(container.name, container);
      return cri.world.runContainer(sandbox, POD, container);
    },
    ask(podRestarts) {
      state.patch(NODE_POD_RESTARTS, { name: NODE }, { contentType: MERGE, body: { spec: { podRestarts } } });
    },
    object: () => state.get(NODE_POD_RESTARTS, { name: NODE }) as unknown as NodePodRestart,
    calls: (method) => calls.get(method) ?? 0,
    statusWrites: () => kube.server.requests.filter(({ method, path }) => method === "PATCH" && path.includes("/status")).length,
    async stop() {
      unwatch();
      for (const agent of agents) await agent.kill();
      await kube.stop();
      cri.close();
    },
  };
  const unwatch = cri.world.containers.watch(({ type, container }) => {
    if (type === "CONTAINER_STOPPED_EVENT") setTimeout(() => bringBack(container), 30);
  });

  function bringBack(ended: SimContainer): void {
    const known = containers.get(ended.name);
    if (fixture.isKubeletPaused || known === undefined) return;
    const envs = [{ key: "CONFIG", value: fixture.kubeletEnv }];
    fixture.run({ ...known, envs, restartCount: (known.restartCount ?? 0) + 1 });
  }
  return fixture;
}

async function runAgent(kube: KubeFixture, cri: CriFixture, events: EventFact[]): Promise<RunningAgent> {
  const common = { clock: systemClock, random: systemRandom, logger: silentLogger, metrics: silentMetrics };
  const options = { resource: NODE_POD_RESTARTS, client: kube.client, list: { fieldSelector: `metadata.name=${NODE}` }, ...common };
  const informer: Informer<NodePodRestart> = createInformer(options);
  const deps: AgentDependencies = {
    ...common,
    nodeName: NODE,
    client: kube.client,
    runtime: cri.runtime,
    images: cri.images,
    events: { record: (fact) => void events.push(fact) },
    gates: { isEnabled: () => true },
    informers: { nodePodRestarts: informer, nodeImages: createInformer(options) },
  };
  const stopping = new AbortController();
  const running = runAll([...containerRestartTasks(deps), informer], stopping.signal);
  await informer.waitForSync(stopping.signal);
  return {
    async kill() {
      stopping.abort(new Error("killed"));
      await running.catch((error: unknown) => {
        if (error !== stopping.signal.reason) throw error;
      });
    },
  };
}
