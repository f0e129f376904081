import type { NodeImage } from "../../api/node-image.js";
import type { Informer } from "../../kube/informer.js";
import type { KeyQueue } from "../../kube/reconciler.js";
import type { Puller } from "./puller.js";

/** Enqueues the node whenever its NodeImage or one of its pulls changes. */
export function connectSources(queue: KeyQueue, sources: { nodeName: string; nodeImages: Informer<NodeImage>; puller: Puller }): void {
  const { nodeName, nodeImages, puller } = sources;
  nodeImages.onChange(({ key }) => {
    if (key === nodeName) queue.add(key);
  });
  puller.onChange(() => queue.add(nodeName));
}
