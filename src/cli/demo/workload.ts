import type { CloneSet } from "../../api/clone-set.js";
import type { Pod } from "../../api/pod.js";
import { CLONE_SETS, PODS } from "../../api/resources.js";
import type { DemoCluster } from "./cluster.js";
import { IMAGES } from "./cluster.js";

export const NAMESPACE = "shop";
export const NAME = "web";
export const ANNOTATION = "greeting";
const ADDRESS = { namespace: NAMESPACE, name: NAME };

/** The workload of the story: one pod, whose app reads an annotation through its environment, and a sidecar that does not. */
export function manifest(image: string, greeting: string): object {
  const env = [{ name: "GREETING", valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${ANNOTATION}']` } } }];
  return {
    apiVersion: "apps.kruise.io/v1alpha1",
    kind: "CloneSet",
    metadata: { name: NAME, namespace: NAMESPACE },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: NAME } },
      updateStrategy: { type: "InPlaceIfPossible", maxUnavailable: 1 },
      template: {
        metadata: { labels: { app: NAME }, annotations: { [ANNOTATION]: greeting } },
        spec: {
          terminationGracePeriodSeconds: 5,
          containers: [
            { name: "app", image, imagePullPolicy: "IfNotPresent", env },
            { name: "sidecar", image: IMAGES.sidecar, imagePullPolicy: "IfNotPresent" },
          ],
        },
      },
    },
  };
}

/** The JSON patch that gives the app another image, and the same as YAML. */
export function appImage(image: string): { readonly operations: readonly object[]; readonly change: object } {
  return {
    operations: [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: image }],
    change: { spec: { template: { spec: { containers: [{ name: "app", image }] } } } },
  };
}

/** The merge patch that gives the annotation another value. */
export function annotationChange(value: string): object {
  return { spec: { template: { metadata: { annotations: { [ANNOTATION]: value } } } } };
}

export function create(cluster: DemoCluster, greeting: string): void {
  cluster.state.create(CLONE_SETS, manifest(IMAGES.v1, greeting), NAMESPACE);
}

/** `kubectl patch --type merge`. */
export function mergePatch(cluster: DemoCluster, body: object): void {
  cluster.state.patch(CLONE_SETS, ADDRESS, { contentType: "application/merge-patch+json", body });
}

/** `kubectl patch --type json`. */
export function jsonPatch(cluster: DemoCluster, body: readonly object[]): void {
  cluster.state.patch(CLONE_SETS, ADDRESS, { contentType: "application/json-patch+json", body });
}

export function cloneSet(cluster: DemoCluster): CloneSet {
  return cluster.state.get(CLONE_SETS, ADDRESS) as unknown as CloneSet;
}

/** The workload's pod that is not going. */
export function livePod(cluster: DemoCluster): Pod | undefined {
  const pods = cluster.state.list(PODS, NAMESPACE) as unknown as readonly Pod[];
  return pods.find(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Whether the newest template runs and is ready, as the CloneSet's status says. */
export function hasRolledOut(cluster: DemoCluster): boolean {
  const { metadata, status } = cloneSet(cluster);
  return status?.observedGeneration === metadata.generation && status?.updatedReadyReplicas === 1 && status.replicas === 1;
}

/** What stays and what goes in an update. */
export interface PodFacts {
  readonly name: string;
  readonly uid: string;
  readonly ip: string;
  readonly appPid: number;
  readonly sidecarPid: number;
  readonly appRestarts: number;
  readonly sidecarRestarts: number;
}

/** @throws if there is no pod, or not all of it runs */
export function podFacts(cluster: DemoCluster): PodFacts {
  const pod = livePod(cluster);
  if (pod === undefined) throw new Error("Cannot look at the pod: there is none");
  const restarts = (name: string): number => pod.status?.containerStatuses?.find((status) => status.name === name)?.restartCount ?? 0;
  return {
    name: pod.metadata.name,
    uid: pod.metadata.uid ?? "",
    ip: pod.status?.podIP ?? "",
    appPid: instance(cluster, "app").pid,
    sidecarPid: instance(cluster, "sidecar").pid,
    appRestarts: restarts("app"),
    sidecarRestarts: restarts("sidecar"),
  };
}

/** Where a running container's server listens. */
export function portOf(cluster: DemoCluster, container: string): Promise<number> {
  return cluster.processes.port(instance(cluster, container).id);
}

function instance(cluster: DemoCluster, name: string): { readonly id: string; readonly pid: number } {
  const uid = livePod(cluster)?.metadata.uid;
  const found = cluster.runtime.world.containers
    .list()
    .find(
      (container) =>
        container.name === name && container.state === "CONTAINER_RUNNING" && container.labels["io.kubernetes.pod.uid"] === uid,
    );
  if (found === undefined) throw new Error(`Cannot find container "${name}": none runs`);
  return { id: found.id, pid: found.pid ?? 0 };
}
