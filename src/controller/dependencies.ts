import type { CloneSet } from "../api/clone-set.js";
import type { ImagePullJob } from "../api/image-pull-job.js";
import type { NodeImage } from "../api/node-image.js";
import type { NodePodRestart } from "../api/node-pod-restart.js";
import type { ControllerRevision, Node, Pod } from "../api/pod.js";
import type { ReconcilerDependencies } from "../kube/dependencies.js";
import type { Informer } from "../kube/informer.js";
import type { PodActivities } from "./pod-activities.js";

/** What every reconciler of the controller is built from; `cli/controller-tasks.ts` makes it once. */
export interface ControllerDependencies extends ReconcilerDependencies {
  /** How many objects of a kind are reconciled side by side; absent: each feature's default. */
  readonly workers?: { readonly cloneSet: number; readonly imagePullJob: number; readonly nodeImage: number };
  /** How long each pod's kubelet may still hold an older version of it. */
  readonly activities: Pick<PodActivities, "stopNotBeforeMs" | "settlesInMs">;
  readonly informers: {
    /** Indexed by `POD_INDEX_NODE` and `POD_INDEX_OWNER`. */
    readonly pods: Informer<Pod>;
    readonly nodes: Informer<Node>;
    readonly nodePodRestarts: Informer<NodePodRestart>;
    readonly cloneSets: Informer<CloneSet>;
    /** Indexed by `REVISION_INDEX_OWNER`. */
    readonly controllerRevisions: Informer<ControllerRevision>;
    /** Indexed by `NODE_IMAGE_INDEX_JOB` (`node-image/indexers.ts`). */
    readonly nodeImages: Informer<NodeImage>;
    readonly imagePullJobs: Informer<ImagePullJob>;
  };
}

/** Pods by `spec.nodeName`. */
export const POD_INDEX_NODE = "node";
/** Pods by the UID of their controller. */
export const POD_INDEX_OWNER = "owner";
/** ControllerRevisions by the UID of their controller. */
export const REVISION_INDEX_OWNER = "owner";
/** NodeImages by the "namespace/name" of each ImagePullJob that owns one of their tags. */
export const NODE_IMAGE_INDEX_JOB = "job";
