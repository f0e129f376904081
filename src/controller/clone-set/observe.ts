import type { ControllerRevision, Pod } from "../../api/pod.js";
import { observePod, type ObservedPod } from "../../core/clone-set/observed-pod.js";
import { isActive } from "../../core/in-place-update/pod-facts.js";
import { POD_INDEX_OWNER, REVISION_INDEX_OWNER } from "../dependencies.js";
import type { Pass } from "./pass.js";

/** The pods that the CloneSet controls and that are neither finished nor being deleted, as the cache has them now. */
export function activePods({ deps, cloneSet }: Pass): readonly Pod[] {
  return deps.informers.pods.store.byIndex(POD_INDEX_OWNER, cloneSet.metadata.uid ?? "").filter(isActive);
}

/** The same pods with the facts that decisions ask for. */
export function observePods(pass: Pass, updateRevision: string, nowMs = pass.deps.clock.nowMs()): readonly ObservedPod[] {
  const minReadySeconds = pass.cloneSet.spec.minReadySeconds ?? 0;
  const measure = { updateRevision, minReadySeconds, nowMs };
  return activePods(pass).map((pod) => observePod(pod, measure));
}

/** The ControllerRevisions that the CloneSet controls. */
export function ownedRevisions({ deps, cloneSet }: Pass): readonly ControllerRevision[] {
  return deps.informers.controllerRevisions.store.byIndex(REVISION_INDEX_OWNER, cloneSet.metadata.uid ?? "");
}
