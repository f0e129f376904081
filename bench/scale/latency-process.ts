import type { PodRestart } from "../../src/api/node-pod-restart.js";
import { NODE_IMAGES, NODE_POD_RESTARTS } from "../../src/api/resources.js";
import { ApiState } from "../../src/sim/api-server/api-state.js";
import type { SimContainer } from "../../src/sim/runtime/entities.js";
import { startRuntime, type SimRuntime } from "../../src/sim/runtime/runtime-server.js";
import { serveApi } from "./api-host.js";
import { serveCalls } from "./calls.js";
import type { ApiAccess } from "./product-process.js";
import { WriteLog } from "./write-log.js";

export const NODE = "node-a";
const CONTAINER = "app";
const MERGE = "application/merge-patch+json";
/** A request stays in the object for about as long as a controller leaves it there. */
const KEEP_MS = 1_500;
const GIVE_UP_MS = 5_000;
/** No env has this hash. */
const NO_HASH = 1;

interface RunningPod {
  readonly uid: string;
  readonly name: string;
  instance: SimContainer;
}

const state = new ApiState();
const pods: RunningPod[] = [];
const asked = new Map<string, { readonly entry: PodRestart; readonly atMs: number }>();
const onStop = new Map<string, (atMs: number) => void>();
let runtime: SimRuntime;
let restarts = 0;

/** One node as the API server and the runtime see it, on real sockets, in one process: both ends of what an agent does are timed by one clock. */
const methods = {
  async start({ socketPath, podCount }: { readonly socketPath: string; readonly podCount: number }): Promise<ApiAccess> {
    for (const { group, version, kind, ...resource } of [NODE_IMAGES, NODE_POD_RESTARTS]) {
      const object = { apiVersion: `${group}/${version}`, kind, metadata: { name: NODE }, spec: {} };
      state.create({ group, version, kind, ...resource }, object);
    }
    runtime = await startRuntime({ socketPath });
    const { containers } = runtime.world;
    timeStops(containers);
    for (let index = 0; index < podCount; index++) pods.push(startPod(index));
    // The kubelet without its looks and its back-off: a container that ends is there again at once.
    containers.watch(({ type, container }) => {
      const pod = type === "CONTAINER_STOPPED_EVENT" ? pods.find(({ instance }) => instance.id === container.id) : undefined;
      if (pod !== undefined) setImmediate(() => restart(pod));
    });
    return serveApi(state, new WriteLog());
  },

  /** Asks for restarts, one pod after the other. @returns for each the time from the event's delivery to the stop's arrival. Units: milliseconds */
  async run({ count, periodMs }: { readonly count: number; readonly periodMs: number }): Promise<readonly number[]> {
    const samples: Promise<number>[] = [];
    for (let index = 0; index < count; index++) {
      const pod = pods[index % pods.length];
      if (pod !== undefined) samples.push(ask(pod));
      // Not in step with any period of the agent's.
      await pause(periodMs * (0.5 + Math.random()));
    }
    return Promise.all(samples);
  },
};

export type LatencyMethods = typeof methods;
serveCalls(methods);

function startPod(index: number): RunningPod {
  const pod = { namespace: "shop", name: `web-${String(index)}`, uid: `uid-${String(index)}` };
  const [instance] = runtime.world.runPod(pod, [{ name: CONTAINER, envs: [{ key: "CONFIG", value: "v1" }], program: { stopMs: 0 } }]);
  if (instance === undefined) throw new Error("the model started no container");
  return { ...pod, instance };
}

function restart(pod: RunningPod): void {
  const { sandboxId, attempt, id } = pod.instance;
  const described = { name: CONTAINER, envs: [{ key: "CONFIG", value: "v1" }], program: { stopMs: 0 }, restartCount: attempt + 1 };
  pod.instance = runtime.world.runContainer({ id: sandboxId }, { namespace: "shop", name: pod.name, uid: pod.uid }, described);
  runtime.world.containers.remove(id);
}

/** Tells when the call for each container arrives. */
function timeStops(containers: SimRuntime["world"]["containers"]): void {
  const stop = containers.stop.bind(containers);
  containers.stop = (id, ...rest) => {
    onStop.get(id)?.(performance.now());
    onStop.delete(id);
    return stop(id, ...rest);
  };
}

/** Writes the node's object as the controller would, with one request more. */
function ask(pod: RunningPod): Promise<number> {
  const nowMs = performance.now();
  for (const [uid, { atMs }] of asked) if (nowMs - atMs > KEEP_MS) asked.delete(uid);
  const { id } = pod.instance;
  const request = {
    id: `bench-${String(++restarts)}`,
    container: CONTAINER,
    containerID: `containerd://${id}`,
    envNames: ["CONFIG"],
    stopWhile: { envHashNot: NO_HASH },
    gracePeriodSeconds: 1,
  };
  asked.set(pod.uid, { entry: { namespace: "shop", name: pod.name, uid: pod.uid, requests: [request] }, atMs: nowMs });
  const body = { spec: { podRestarts: [...asked.values()].map(({ entry }) => entry) } };
  return new Promise((resolve) => {
    let deliveredMs = performance.now();
    const giveUp = setTimeout(() => settle(Number.POSITIVE_INFINITY), GIVE_UP_MS);
    const settle = (atMs: number): void => {
      clearTimeout(giveUp);
      onStop.delete(id);
      resolve(atMs - deliveredMs);
    };
    onStop.set(id, settle);
    state.patch(NODE_POD_RESTARTS, { name: NODE }, { contentType: MERGE, body });
    deliveredMs = performance.now();
  });
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
