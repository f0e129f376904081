import type { Pod, PodStatus } from "../../../../src/api/pod.js";
import { EVENTS, NODES, PODS } from "../../../../src/api/resources.js";
import { systemRandom } from "../../../../src/lib/random.js";
import type { Task } from "../../../../src/lib/tasks.js";
import { ApiState } from "../../../../src/sim/api-server/api-state.js";
import { Kubelet } from "../../../../src/sim/kubelet/kubelet.js";
import { createNodeApi, type NodeConnection } from "../../../../src/sim/kubelet/node-api.js";
import { Scheduler } from "../../../../src/sim/kubelet/scheduler.js";
import type { SimContainer, SimProgram } from "../../../../src/sim/runtime/entities.js";
import { RuntimeWorld } from "../../../../src/sim/runtime/runtime-world.js";
import { FakeClock } from "../../../support/fake-clock.js";

export const V1 = "lab.local/app:v1";
export const V2 = "lab.local/app:v2";
const POD = { namespace: "shop", name: "web-0" };

/** One pod with an app that reads annotation `config` and a sidecar, on a kubelet under a fake clock. */
export interface KubeletLab {
  readonly clock: FakeClock;
  readonly state: ApiState;
  readonly world: RuntimeWorld;
  /** Every status that the pod had, oldest first. */
  readonly statuses: readonly { readonly atMs: number; readonly status: PodStatus }[];
  pod(): Pod;
  status(): PodStatus;
  /** Strategic merge patch of the pod. */
  patch(body: object, subresource?: "status"): void;
  latest(container: string): SimContainer;
  events(): readonly string[];
  /** Of the kubelet that runs now, or ran last. */
  kubelet(): Kubelet;
  api(): NodeConnection;
  startKubelet(): void;
  stopKubelet(): Promise<void>;
  stop(): Promise<void>;
}

export interface LabOptions {
  /** Of every image. */
  readonly program?: Partial<SimProgram>;
}

/** Starts it; the pod runs and is posted so after 2.5 s of its time. */
export async function startKubeletLab(spec: object = {}, { program = {} }: LabOptions = {}): Promise<KubeletLab> {
  const clock = new FakeClock();
  const state = new ApiState({ clock });
  const world = new RuntimeWorld(clock, systemRandom);
  for (const reference of [V1, V2]) world.images.preload({ reference, sizeBytes: 1, program: { termExitCode: 0, ...program } });
  pods = 0;
  state.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "node1" } });
  let life = newLife({ clock, state, world });
  const scheduler = newRun(new Scheduler({ state, clock, nodeNames: ["node1"] }));
  const statuses: { atMs: number; status: PodStatus }[] = [];
  state.database.subscribe(({ kind, object }) => {
    if (kind.plural === "pods") statuses.push({ atMs: clock.monotonicMs(), status: object["status"] as PodStatus });
  });
  state.create(PODS, podBody(spec), POD.namespace);
  const lab: KubeletLab = {
    clock,
    state,
    world,
    statuses,
    pod: () => state.get(PODS, POD) as unknown as Pod,
    status: () => lab.pod().status ?? {},
    patch: (body, subresource) => void state.patch(PODS, POD, { contentType: "application/strategic-merge-patch+json", body, subresource }),
    latest(container) {
      const found = world.containers.list().filter(({ name }) => name === container);
      return found.sort((a, b) => b.attempt - a.attempt)[0] as SimContainer;
    },
    events: () => state.list(EVENTS, POD.namespace).map((event) => `${String(event["reason"])}: ${String(event["message"])}`),
    kubelet: () => life.kubelet,
    api: () => life.api,
    startKubelet() {
      life = newLife({ clock, state, world });
    },
    stopKubelet: () => life.run.end(),
    async stop() {
      await life.run.end();
      await scheduler.end();
      state.close();
    },
  };
  await clock.advance(2_500);
  return lab;
}

interface Life {
  readonly kubelet: Kubelet;
  readonly api: NodeConnection;
  readonly run: ReturnType<typeof newRun>;
}

let pods = 0;

function newLife({ clock, state, world }: { clock: FakeClock; state: ApiState; world: RuntimeWorld }): Life {
  const api = createNodeApi({ state, clock, nodeName: "node1", lagMs: 10 });
  const kubelet = new Kubelet({ api, world, clock, hostIP: "10.0.0.1", nextPodIP: () => `10.0.1.${String(++pods)}` });
  return { kubelet, api, run: newRun(kubelet) };
}

/** A task that runs until it is ended; then it must have failed with nothing else. */
function newRun(task: Task): { end(): Promise<void> } {
  const stopping = new AbortController();
  const running = task.run(stopping.signal).catch((error: unknown) => error);
  return {
    async end() {
      stopping.abort(new Error("the test has ended"));
      const end = await running;
      if (end !== stopping.signal.reason) throw end;
    },
  };
}

function podBody(spec: object): object {
  const env = [{ name: "CONFIG", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.annotations['config']" } } }];
  return {
    metadata: { name: POD.name, annotations: { config: "one" }, labels: { app: "web" } },
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [
        { name: "app", image: V1, imagePullPolicy: "IfNotPresent", env },
        { name: "side", image: V1, imagePullPolicy: "IfNotPresent" },
      ],
      ...spec,
    },
  };
}
