import type { KubeObject } from "../../../src/api/meta.js";
import type { NodePodRestart } from "../../../src/api/node-pod-restart.js";
import type { Node, Pod } from "../../../src/api/pod.js";
import { NODE_POD_RESTARTS, NODES, PODS } from "../../../src/api/resources.js";
import { type ControllerDependencies, POD_INDEX_NODE } from "../../../src/controller/dependencies.js";
import { PodActivities } from "../../../src/controller/pod-activities.js";
import { nodePodRestartTasks } from "../../../src/controller/node-pod-restart/tasks.js";
import { writeUpdateState } from "../../../src/core/in-place-update/state.js";
import type { EventFact } from "../../../src/kube/event-recorder.js";
import { createInformer } from "../../../src/kube/reflector.js";
import { systemClock } from "../../../src/lib/clock.js";
import { silentLogger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { systemRandom } from "../../../src/lib/random.js";
import { runAll } from "../../../src/lib/tasks.js";
import type { KubeFixture } from "../../support/kube-fixture.js";

const STRATEGIC = "application/strategic-merge-patch+json";
const OWNER = { apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", name: "web", uid: "owner-uid", controller: true };
export const ENV = [{ name: "CONFIG", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['config']" } } }];

/** Runs the controller of node objects. @returns ends it, as if killed */
export async function startController(kube: KubeFixture, events: EventFact[] = []): Promise<() => Promise<void>> {
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
    activities: new PodActivities(pods, common.clock),
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

/** A pod on node-a whose container reads annotation `config`, settled unless `isUpdating`. */
export function createPod(kube: KubeFixture, name: string, isUpdating = false): Pod {
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
  setStatus(kube, name, { ready: isUpdating ? "False" : "True" });
  kube.server.state.patch(PODS, { namespace: "shop", name }, { contentType: STRATEGIC, body: { metadata: { annotations } } });
  return created;
}

/** What kubelet and CloneSet controller post. */
export function setStatus(
  kube: KubeFixture,
  name: string,
  posted: { readonly ready: string; readonly containerID?: string; readonly restartCount?: number },
): void {
  const { ready, containerID = "containerd://c0", restartCount = 0 } = posted;
  const containerStatuses = [{ name: "app", ready: true, restartCount, image: "i", imageID: "i@1", containerID }];
  const status = { phase: "Running", conditions: [{ type: "InPlaceUpdateReady", status: ready }], containerStatuses };
  kube.server.state.patch(PODS, { namespace: "shop", name }, { contentType: STRATEGIC, body: { status }, subresource: "status" });
}
