import type { ImagePullJob } from "../../api/image-pull-job.js";
import type { KubeObject } from "../../api/meta.js";
import type { NodeImage } from "../../api/node-image.js";
import type { Node } from "../../api/pod.js";
import type { Informer } from "../../kube/informer.js";
import type { KeyQueue } from "../../kube/reconciler.js";
import { NODE_IMAGE_INDEX_JOB } from "../dependencies.js";

export interface NodeImageSources {
  readonly nodes: Informer<Node>;
  readonly nodeImages: Informer<NodeImage>;
  readonly imagePullJobs: Informer<ImagePullJob>;
}

/** Enqueues a node when it, its NodeImage, or a job that owns one of its tags changes in a way that matters. */
export function connectSources(queue: KeyQueue, { nodes, nodeImages, imagePullJobs }: NodeImageSources): void {
  nodes.onChange(({ key, before, after }) => {
    if (before === undefined || after === undefined || hasNews(before, after)) queue.add(key);
  });
  nodeImages.onChange(({ key }) => queue.add(key));
  imagePullJobs.onChange(({ key, before, after }) => {
    if (before !== undefined && after !== undefined && !mayLetGo(before, after)) return;
    for (const nodeImage of nodeImages.store.byIndex(NODE_IMAGE_INDEX_JOB, key)) queue.add(nodeImage.metadata.name);
  });
}

/** Whether two states of a node (or a NodeImage) differ as far as it is chosen by name or labels. Heartbeats do not. */
export function hasNews(before: KubeObject, after: KubeObject): boolean {
  const isGoing = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined;
  return before.metadata.uid !== after.metadata.uid || isGoing(before) !== isGoing(after) || !sameLabels(before, after);
}

function sameLabels({ metadata: { labels: a = {} } }: KubeObject, { metadata: { labels: b = {} } }: KubeObject): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

// Steps on the way cannot free a tag; only a deletion, an end, a failed node or another image can.
function mayLetGo(before: ImagePullJob, after: ImagePullJob): boolean {
  const [old, now] = [before, after].map(({ metadata: { uid, deletionTimestamp }, spec: { image }, status }) => {
    return [uid, deletionTimestamp, image, status?.completionTime, status?.failedNodes?.length].join(" ");
  });
  return old !== now;
}
