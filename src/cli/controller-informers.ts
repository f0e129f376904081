import type { CloneSet } from "../api/clone-set.js";
import type { ImagePullJob } from "../api/image-pull-job.js";
import type { KubeObject, Resource } from "../api/meta.js";
import type { NodeImage } from "../api/node-image.js";
import type { NodePodRestart } from "../api/node-pod-restart.js";
import type { ControllerRevision, Node, Pod } from "../api/pod.js";
import { CLONE_SETS, CONTROLLER_REVISIONS, IMAGE_PULL_JOBS, NODES, NODE_IMAGES, NODE_POD_RESTARTS, PODS } from "../api/resources.js";
import { type ControllerDependencies, POD_INDEX_NODE, POD_INDEX_OWNER, REVISION_INDEX_OWNER } from "../controller/dependencies.js";
import { nodeImageIndexers } from "../controller/node-image/indexers.js";
import { wellFormed } from "../core/container-restart/well-formed.js";
import type { Informer } from "../kube/informer.js";
import { createInformer, type InformerOptions, type ObservedInformer } from "../kube/reflector.js";

type Wanted = ControllerDependencies["informers"];

/** Every cache that the controller's reconcilers want, with its indexes, and open to readiness checks. */
export type ControllerInformers = {
  readonly [Name in keyof Wanted]: Wanted[Name] extends Informer<infer T> ? ObservedInformer<T> : never;
};

type SharedOptions = Omit<InformerOptions<KubeObject>, "resource" | "list" | "indexers" | "project">;

/** Makes the caches; none is filled before its `run`. */
export function createControllerInformers(shared: SharedOptions): ControllerInformers {
  const plain = <T extends KubeObject>(resource: Resource): ObservedInformer<T> => createInformer<T>({ ...shared, resource });
  return {
    pods: createInformer<Pod>({
      ...shared,
      resource: PODS,
      indexers: { [POD_INDEX_NODE]: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]), [POD_INDEX_OWNER]: controllerUids },
    }),
    controllerRevisions: createInformer<ControllerRevision>({
      ...shared,
      resource: CONTROLLER_REVISIONS,
      indexers: { [REVISION_INDEX_OWNER]: controllerUids },
    }),
    nodeImages: createInformer<NodeImage>({ ...shared, resource: NODE_IMAGES, indexers: nodeImageIndexers }),
    nodes: plain<Node>(NODES),
    nodePodRestarts: createInformer<NodePodRestart>({ ...shared, resource: NODE_POD_RESTARTS, project: wellFormed }),
    cloneSets: plain<CloneSet>(CLONE_SETS),
    imagePullJobs: plain<ImagePullJob>(IMAGE_PULL_JOBS),
  };
}

function controllerUids({ metadata }: KubeObject): readonly string[] {
  return (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true).map(({ uid }) => uid);
}
