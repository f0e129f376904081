import type { CloneSet } from "../../api/clone-set.js";
import type { KubeObject } from "../../api/meta.js";
import { owningCloneSet } from "../../core/clone-set/owner.js";
import { equalJson } from "../../core/values/json-diff.js";
import { keyOfName } from "../../kube/keys.js";
import type { KeyQueue } from "../../kube/reconciler.js";
import type { StoreChange } from "../../kube/store.js";
import type { ControllerDependencies } from "../dependencies.js";
import { podsReportedAnew } from "./facts.js";

/** Adds a CloneSet to the queue whenever it, its pods, its revisions or a node's report about one of its pods change. */
export function watchSources({ informers }: ControllerDependencies, queue: KeyQueue): void {
  informers.cloneSets.onChange((change) => {
    if (!isOwnReport(change)) queue.add(change.key);
  });
  informers.pods.onChange((change) => addOwners(queue, change));
  informers.controllerRevisions.onChange((change) => addOwners(queue, change));
  informers.nodePodRestarts.onChange((change) => {
    for (const key of podsReportedAnew(change)) {
      const pod = informers.pods.store.get(key);
      if (pod !== undefined) addOwner(queue, pod);
    }
  });
}

// What a pass found out is no reason for another one: a failure that reads differently each time would be tried again without a pause.
function isOwnReport({ before, after }: StoreChange<CloneSet>): boolean {
  if (before === undefined || after === undefined) return false;
  return equalJson(withoutReport(before), withoutReport(after)) && !equalJson(before.status, after.status);
}

function withoutReport({ metadata, status, ...rest }: CloneSet): object {
  return { ...rest, metadata: { ...metadata, resourceVersion: undefined }, status: { ...status, conditions: undefined } };
}

function addOwners(queue: KeyQueue, { before, after }: StoreChange<KubeObject>): void {
  if (before !== undefined) addOwner(queue, before);
  if (after !== undefined) addOwner(queue, after);
}

function addOwner(queue: KeyQueue, object: KubeObject): void {
  const owner = owningCloneSet(object);
  if (owner !== undefined) queue.add(keyOfName({ name: owner.name, ...namespaceOf(object) }));
}

function namespaceOf({ metadata }: KubeObject): { readonly namespace?: string } {
  return metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
}
