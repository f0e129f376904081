import type { Pod, PodStatus } from "../../../../src/api/pod.js";
import { EVENTS, NODES, PODS } from "../../../../src/api/resources.js";
import { systemRandom } from "../../../../src/lib/random.js";
import { ApiState } from "../../../../src/sim/api-server/api-state.js";
import { Kubelet } from "../../../../src/sim/kubelet/kubelet.js";
import { createNodeApi } from "../../../../src/sim/kubelet/node-api.js";
import { Scheduler } from "../../../../src/sim/kubelet/scheduler.js";
import type { SimContainer } from "../../../../src/sim/runtime/entities.js";
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
  stop(): Promise<void>;
}

/** Starts it; the pod runs and is posted so after 2.5 s of its time. */
export async function startKubeletLab(spec: object = {}): Promise<KubeletLab> {
  const clock = new FakeClock();
  const state = new ApiState({ clock });
  const world = new RuntimeWorld(clock, systemRandom);
  for (const reference of [V1, V2]) world.images.preload({ reference, sizeBytes: 1, program: { termExitCode: 0 } });
  state.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "node1" } });
  const stopping = new AbortController();
  const kubelet = new Kubelet({
    api: createNodeApi({ state, clock, nodeName: "node1", lagMs: 10 }),
    world,
    clock,
    hostIP: "10.0.0.1",
    nextPodIP: () => "10.0.1.1",
  });
  const running = [kubelet, new Scheduler({ state, clock, nodeNames: ["node1"] })].map((task) =>
    task.run(stopping.signal).catch((error: unknown) => error),
  );
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
    async stop() {
      stopping.abort(new Error("the test has ended"));
      const ends = await Promise.all(running);
      const failure = ends.find((end) => end !== stopping.signal.reason);
      if (failure !== undefined) throw failure;
      state.close();
    },
  };
  await clock.advance(2_500);
  return lab;
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
