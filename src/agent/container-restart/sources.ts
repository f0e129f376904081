import type { NodePodRestart } from "../../api/node-pod-restart.js";
import type { StoreChange } from "../../kube/store.js";

/** How the spec of the node's object has changed. */
export interface SpecChange {
  /** Pods whose requests are others than before, or none any more. */
  readonly podUids: readonly string[];
  /** Requests that are gone. */
  readonly withdrawnIds: readonly string[];
  /** True if the API server counts a new generation. */
  readonly isNewGeneration: boolean;
}

/** What a change of the node's object means for the pods on it. Requests never change, so their ids tell all. */
export function specChange({ before, after }: StoreChange<NodePodRestart>): SpecChange {
  const old = idsByPod(before);
  const now = idsByPod(after);
  const podUids = [...new Set([...old.keys(), ...now.keys()])].filter((uid) => !isSame(old.get(uid), now.get(uid)));
  const withdrawnIds = podUids.flatMap((uid) => [...(old.get(uid) ?? [])].filter((id) => now.get(uid)?.has(id) !== true));
  return { podUids, withdrawnIds, isNewGeneration: before?.metadata.generation !== after?.metadata.generation };
}

function idsByPod(object: NodePodRestart | undefined): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(object?.spec.podRestarts?.map(({ uid, requests }) => [uid, new Set(requests.map(({ id }) => id))]));
}

function isSame(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): boolean {
  return a !== undefined && a.size === b?.size && [...a].every((id) => b.has(id));
}
