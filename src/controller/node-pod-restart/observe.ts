import type { NodePodRestart } from "../../api/node-pod-restart.js";
import type { Pod } from "../../api/pod.js";
import type { NodeSituation, PodWish } from "../../core/container-restart/requests.js";
import type { StoreReader } from "../../kube/store.js";
import { type ControllerDependencies, POD_INDEX_NODE } from "../dependencies.js";

/** Says what one pod's update asks of its node's agent. */
export type WishOf = (pod: Pod) => PodWish | undefined;

/** Where the facts about a node's pods come from. */
export interface NodeSources {
  readonly pods: StoreReader<Pod>;
  readonly activities: ControllerDependencies["activities"];
  readonly wishOf: WishOf;
}

/** The node's pods and what their updates ask for, from the cache. */
export function observeNode(
  previous: NodePodRestart,
  { pods, activities, wishOf }: NodeSources,
): Pick<NodeSituation, "pods" | "wishes" | "previous"> {
  const ofNode = pods.byIndex(POD_INDEX_NODE, previous.metadata.name);
  const wishes: PodWish[] = [];
  for (const pod of ofNode) {
    const wish = wishOf(pod);
    if (wish === undefined) continue; // most pods of a node, at any time
    const stopNotBeforeMs = activities.stopNotBeforeMs(pod.metadata.uid ?? "");
    wishes.push(stopNotBeforeMs === undefined ? wish : { ...wish, stopNotBeforeMs });
  }
  return { previous, wishes, pods: new Map(ofNode.map((pod) => [pod.metadata.uid ?? "", pod])) };
}
