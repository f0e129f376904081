import type { ImagePullJob } from "../../api/image-pull-job.js";
import type { NodeImage } from "../../api/node-image.js";
import type { Pod } from "../../api/pod.js";
import { isActivePod } from "../../core/image-pull-job/target-nodes.js";
import { matchesSelector } from "../../core/values/label-selector.js";
import type { Informer } from "../../kube/informer.js";
import { keyOf } from "../../kube/keys.js";
import type { KeyQueue } from "../../kube/reconciler.js";
import type { StoreChange } from "../../kube/store.js";
import { hasNews } from "../node-image/sources.js";
import { changedJobKeys } from "./changed-jobs.js";
import type { JobCaches } from "./observe.js";

/**
 * A job is looked at again this much later for each of its nodes, so that the cost of counting them stays a fixed part of a core: a larger
 * part while other nodes wait to be asked.
 */
const SPACING_MS_PER_NODE = { asking: 0.02, counting: 0.1 } as const;

/** Enqueues a job when it changes, when one of its nodes gets further, and when nodes (or pods that choose them) come and go. */
export function connectSources(queue: KeyQueue, sources: JobCaches & { readonly imagePullJobs: Informer<ImagePullJob> }): void {
  const { imagePullJobs, nodeImages, nodes, pods } = sources;
  const unfinished = () => imagePullJobs.store.list().filter((job) => job.status?.completionTime === undefined);
  const addAll = () => {
    for (const job of unfinished()) queue.add(keyOf(job));
  };
  imagePullJobs.onChange(({ key }) => queue.add(key));
  nodes.onChange(({ before, after }) => {
    if (before === undefined || after === undefined || hasNews(before, after)) addAll();
  });
  nodeImages.onChange((change) => {
    if (isOtherNode(change)) addAll();
    for (const key of changedJobKeys(change)) {
      queue.addAfter(key, spacingMs(imagePullJobs.store.get(key)));
    }
  });
  pods.onChange((change) => {
    for (const job of unfinished()) if (choosesOtherNode(job, change)) queue.add(keyOf(job));
  });
}

function spacingMs(job: ImagePullJob | undefined): number {
  const { desired = 0, active = 0, succeeded = 0, failed = 0 } = job?.status ?? {};
  const { asking, counting } = SPACING_MS_PER_NODE;
  return Math.floor(desired * (active + succeeded + failed < desired ? asking : counting));
}

function isOtherNode({ before, after }: StoreChange<NodeImage>): boolean {
  return before === undefined || after === undefined || hasNews(before, after);
}

function choosesOtherNode({ metadata: { namespace }, spec: { podSelector } }: ImagePullJob, { before, after }: StoreChange<Pod>): boolean {
  if (podSelector === undefined || (before ?? after)?.metadata.namespace !== namespace) return false;
  const nodeBy = (pod: Pod | undefined) => {
    return pod !== undefined && isActivePod(pod) && matchesSelector(podSelector, pod.metadata.labels) ? pod.spec.nodeName : undefined;
  };
  return nodeBy(before) !== nodeBy(after);
}
