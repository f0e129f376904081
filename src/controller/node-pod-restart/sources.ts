import type { Pod } from "../../api/pod.js";
import type { KeyQueue } from "../../kube/reconciler.js";
import type { ControllerDependencies } from "../dependencies.js";
import type { WishOf } from "./observe.js";

/** Queues a node when something that its requests hang on has changed. Key: the node's name. */
export function watchSources({ informers }: Pick<ControllerDependencies, "informers">, wishOf: WishOf, queue: KeyQueue): void {
  const { pods, nodes, nodePodRestarts } = informers;
  nodes.onChange(({ key, before, after }) => {
    if (before?.metadata.uid !== after?.metadata.uid) queue.add(key);
  });
  nodePodRestarts.onChange(({ key }) => queue.add(key));
  pods.onChange(({ before, after }) => {
    for (const pod of [before, after]) if (isConcerned(pod)) queue.add(pod?.spec.nodeName ?? "");
  });

  function isConcerned(pod: Pod | undefined): boolean {
    if (pod?.spec.nodeName === undefined || pod.spec.nodeName === "") return false;
    const requested = nodePodRestarts.store.get(pod.spec.nodeName)?.spec.podRestarts ?? [];
    return requested.some(({ uid }) => uid === pod.metadata.uid) || wishOf(pod) !== undefined;
  }
}
