import type { ImagePullJob } from "../../api/image-pull-job.js";
import type { NodeImage } from "../../api/node-image.js";
import type { Node, Pod } from "../../api/pod.js";
import { type JobNode, targetNodes } from "../../core/image-pull-job/target-nodes.js";
import type { Informer } from "../../kube/informer.js";

/** The caches that say which nodes a job is for. */
export interface JobCaches {
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly nodeImages: Informer<NodeImage>;
}

/** The nodes of a job with their NodeImages, as the caches have them. */
export function observeNodes(job: ImagePullJob, { pods, nodes, nodeImages }: JobCaches): readonly JobNode[] {
  const namespace = job.metadata.namespace;
  const candidates = job.spec.podSelector === undefined ? [] : pods.store.list().filter((pod) => pod.metadata.namespace === namespace);
  return targetNodes(job, { nodes: nodes.store.list(), nodeImages: nodeImages.store.list(), pods: candidates });
}
