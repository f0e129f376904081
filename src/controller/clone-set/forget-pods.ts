import type { Pod } from "../../api/pod.js";
import { owningCloneSet } from "../../core/clone-set/owner.js";
import { isActive } from "../../core/in-place-update/pod-facts.js";
import type { Informer } from "../../kube/informer.js";
import type { StoreChange } from "../../kube/store.js";
import type { Holds } from "./holds.js";
import type { WaitRegister } from "./wait-register.js";

export interface Remembered {
  readonly holds: Holds;
  /** Pods (uid) whose deletion got no answer. */
  readonly unanswered: Set<string>;
  readonly waits: WaitRegister;
}

/** Forgets what is remembered of pods that no pass will look at again: gone, on their way out, finished, or let go by their CloneSet. */
export function forgetLeavingPods(pods: Informer<Pod>, remembered: Remembered): void {
  const { holds, unanswered, waits } = remembered;
  pods.onChange((change) => {
    if (change.before === undefined || stays(change)) return;
    waits.settle(change.before);
    holds.remove(change.before.metadata.uid ?? "");
    unanswered.delete(change.before.metadata.uid ?? "");
  });
}

function stays({ before, after }: StoreChange<Pod>): boolean {
  if (before === undefined || after === undefined || !isActive(after)) return false;
  return after.metadata.uid === before.metadata.uid && owningCloneSet(after)?.uid === owningCloneSet(before)?.uid;
}
