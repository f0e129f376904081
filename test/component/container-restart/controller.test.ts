import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { KubeObject } from "../../../src/api/meta.js";
import type { NodePodRestart } from "../../../src/api/node-pod-restart.js";
import type { Node, Pod } from "../../../src/api/pod.js";
import { NODE_POD_RESTARTS, NODES, PODS } from "../../../src/api/resources.js";
import { type ControllerDependencies, POD_INDEX_NODE } from "../../../src/controller/dependencies.js";
import { nodePodRestartTasks } from "../../../src/controller/node-pod-restart/tasks.js";
import { writeUpdateState } from "../../../src/core/in-place-update/state.js";
import { expectedEnvHash } from "../../../src/core/values/env-from-metadata.js";
import type { EventFact } from "../../../src/kube/event-recorder.js";
import { createInformer } from "../../../src/kube/reflector.js";
import { systemClock } from "../../../src/lib/clock.js";
import { silentLogger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { systemRandom } from "../../../src/lib/random.js";
import { runAll } from "../../../src/lib/tasks.js";
import { eventually } from "../../support/eventually.js";
import { type KubeFixture, startKubeFixture } from "../../support/kube-fixture.js";

const STRATEGIC = "application/strategic-merge-patch+json";
const MERGE = "application/merge-patch+json";
const OWNER = { apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", name: "web", uid: "owner-uid", controller: true };
const ENV = [{ name: "CONFIG", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['config']" } } }];

let kube: KubeFixture;
let events: EventFact[];
let stopController: () => Promise<void>;

beforeEach(async () => {
  kube = await startKubeFixture();
  events = [];
  kube.server.state.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "node-a" } });
  stopController = await startController();
});

afterEach(async () => {
  await stopController();
  await kube.stop();
});

async function startController(): Promise<() => Promise<void>> {
  const common = { clock: systemClock, random: systemRandom, logger: silentLogger, metrics: silentMetrics };
  const shared = { client: kube.client, list: {}, ...common };
  const pods = createInformer<Pod>({
    ...shared,
    resource: PODS,
    indexers: { [POD_INDEX_NODE]: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]) },
  });
  const nodes = createInformer<Node>({ ...shared, resource: NODES });
  const nodePodRestarts = createInformer<NodePodRestart>({ ...shared, resource: NODE_POD_RESTARTS });
  const unused = createInformer<KubeObject>({ ...shared, resource: PODS }) as never;
  const informers = {
    pods,
    nodes,
    nodePodRestarts,
    cloneSets: unused,
    controllerRevisions: unused,
    nodeImages: unused,
    imagePullJobs: unused,
  };
  const deps: ControllerDependencies = {
    ...common,
    client: kube.client,
    events: { record: (fact) => void events.push(fact) },
    gates: { isEnabled: () => true },
    informers,
  };
  const stopping = new AbortController();
  const running = runAll([...nodePodRestartTasks(deps), pods, nodes, nodePodRestarts], stopping.signal);
  return async () => {
    stopping.abort(new Error("stopped"));
    await running.catch((error: unknown) => {
      if (error !== stopping.signal.reason) throw error;
    });
  };
}

/** A pod whose container reads annotation `config`, settled unless `isUpdating`. */
function createPod(name: string, isUpdating = false): Pod {
  const state = {
    revision: "web-abc",
    updateTimestamp: "2026-01-02T03:04:05Z",
    lastContainerStatuses: {},
    updateEnvFromMetadata: true,
    updateResources: false,
    updateImages: false,
    nextContainerImages: {},
    nextContainerRefMetadata: {},
    nextContainerResources: {},
    requiredReady: [],
    batches: [{ timestamp: "2026-01-02T03:04:05Z", containers: ["app"] }],
  };
  const annotations = { config: "new", "apps.kruise.io/inplace-update-state": writeUpdateState(state) };
  const created = kube.server.state.create(
    PODS,
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "shop", ownerReferences: [OWNER] },
      spec: {
        nodeName: "node-a",
        containers: [{ name: "app", image: "i", env: ENV }],
        readinessGates: [{ conditionType: "InPlaceUpdateReady" }],
      },
    },
    "shop",
  ) as unknown as Pod;
  setStatus(name, isUpdating ? "False" : "True", "containerd://c0");
  kube.server.state.patch(PODS, { namespace: "shop", name }, { contentType: STRATEGIC, body: { metadata: { annotations } } });
  return created;
}

function setStatus(name: string, ready: string, containerID: string): void {
  const containerStatuses = [{ name: "app", ready: true, restartCount: 0, image: "i", imageID: "i@1", containerID }];
  const status = { phase: "Running", conditions: [{ type: "InPlaceUpdateReady", status: ready }], containerStatuses };
  kube.server.state.patch(PODS, { namespace: "shop", name }, { contentType: STRATEGIC, body: { status }, subresource: "status" });
}

function report(status: NodePodRestart["status"]): void {
  kube.server.state.patch(NODE_POD_RESTARTS, { name: "node-a" }, { contentType: MERGE, body: { status }, subresource: "status" });
}

function object(): NodePodRestart {
  return kube.server.state.get(NODE_POD_RESTARTS, { name: "node-a" }) as unknown as NodePodRestart;
}

function writes(): number {
  return kube.server.requests.filter(({ method, path }) => method !== "GET" && path.includes("nodepodrestarts")).length;
}

const HASH = expectedEnvHash({ env: ENV }, { annotations: { config: "new" } });

describe("the controller's node objects", () => {
  test("exist as soon as their node does, are owned by it, and ask for nothing", async () => {
    await eventually(() => expect(object().spec).toEqual({ podRestarts: [] }));
    expect(object().metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "node-a" }]);
    createPod("settled");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(writes()).toBe(1);
  });

  test("ask to stop the instance of a pod in mid-update, by a hash and never by a value", async () => {
    const pod = createPod("web-0", true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(1));
    expect(object().spec.podRestarts).toMatchObject([
      {
        namespace: "shop",
        name: "web-0",
        uid: pod.metadata.uid,
        requests: [
          { container: "app", containerID: "containerd://c0", stopWhile: { envHashNot: HASH }, envNames: ["CONFIG"], runPreStop: true },
        ],
      },
    ]);
    expect(JSON.stringify(object().spec)).not.toContain('"new"');
  });

  test("take many pods in at most one write per 100 ms", async () => {
    await eventually(() => object());
    for (let index = 0; index < 20; index++) createPod(`web-${index}`, true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(20));
    expect(writes()).toBeLessThanOrEqual(5);
  });

  test("survive the agent writing at the same time", async () => {
    await eventually(() => object());
    const disturb = setInterval(() => report({ observedGeneration: 0, podRestartStatuses: [] }), 1);
    createPod("web-0", true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(1)).finally(() => clearInterval(disturb));
  });

  test("disarm the stop when the update is over before it was carried out", async () => {
    createPod("web-0", true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(1));
    setStatus("web-0", "True", "containerd://c0");
    await eventually(() => expect(object().spec.podRestarts).toEqual([]));
  });

  test("keep what a controller before them asked for, word by word", async () => {
    createPod("web-0", true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(1));
    const before = object();
    await stopController();
    stopController = await startController();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(object()).toEqual(before);
  });

  test("come back when somebody deletes them", async () => {
    await eventually(() => object());
    const uid = object().metadata.uid;
    kube.server.state.delete(NODE_POD_RESTARTS, { name: "node-a" });
    await eventually(() => expect(object().metadata.uid).not.toBe(uid));
  });

  test("ignore a report about a pod that nobody asked about, and say so", async () => {
    await eventually(() => object());
    report({
      observedGeneration: object().metadata.generation ?? 0,
      podRestartStatuses: [{ uid: "foreign", results: [], containers: [] }],
    });
    await eventually(() =>
      expect(events).toMatchObject([{ type: "Warning", reason: "ReportRefused", regarding: { kind: "NodePodRestart" } }]),
    );
  });

  test("pass on to pod and owner what the agent cannot do", async () => {
    const pod = createPod("web-0", true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(1));
    const id = object().spec.podRestarts?.[0]?.requests[0]?.id ?? "";
    const results = [{ id, phase: "Failed", reason: "EnvUnreadable", message: "not told" }] as const;
    report({
      observedGeneration: object().metadata.generation ?? 0,
      podRestartStatuses: [{ uid: pod.metadata.uid ?? "", results, containers: [] }],
    });
    await eventually(() =>
      expect(events.map(({ reason, regarding }) => [reason, regarding.kind])).toEqual([
        ["EnvUnreadable", "Pod"],
        ["EnvUnreadable", "CloneSet"],
      ]),
    );
  });
});
