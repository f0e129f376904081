import type { NodePodRestart } from "../../api/node-pod-restart.js";
import type { Pod } from "../../api/pod.js";
import type { NodeSituation, PodWish } from "../../core/container-restart/requests.js";
import type { StoreReader } from "../../kube/store.js";
import { POD_INDEX_NODE } from "../dependencies.js";

/** Says what one pod's update asks of its node's agent. */
export type WishOf = (pod: Pod) => PodWish | undefined;

/** The same answer, found once per version of a pod: every look at a node asks about all pods on it, and few have changed. */
export function rememberWishes(wishOf: WishOf): WishOf {
  const known = new WeakMap<Pod, PodWish | "none">();
  return (pod) => {
    const before = known.get(pod);
    if (before !== undefined) return before === "none" ? undefined : before;
    const wish = wishOf(pod);
    known.set(pod, wish ?? "none");
    return wish;
  };
}

/** The node's pods and what their updates ask for, from the cache. */
export function observeNode(
  pods: StoreReader<Pod>,
  previous: NodePodRestart,
  wishOf: WishOf,
): Pick<NodeSituation, "pods" | "wishes" | "previous"> {
  const ofNode = pods.byIndex(POD_INDEX_NODE, previous.metadata.name);
  const wishes = ofNode.flatMap((pod) => wishOf(pod) ?? []);
  return { previous, wishes, pods: new Map(ofNode.map((pod) => [pod.metadata.uid ?? "", pod])) };
}
