import type { CloneSet } from "../../api/clone-set.js";
import { CLONE_SETS } from "../../api/resources.js";
import type { ObservedPod } from "../../core/clone-set/observed-pod.js";
import { specProblems } from "../../core/clone-set/spec-problems.js";
import { cloneSetStatus, type StatusFacts } from "../../core/clone-set/status.js";
import { revisionOf } from "../../core/in-place-update/pod-facts.js";
import { goJson } from "../../core/values/go-json.js";
import { toRfc3339Seconds } from "../../core/values/timestamps.js";
import type { Revisions } from "./ensure-revisions.js";
import { observePods } from "./observe.js";
import type { Pass } from "./pass.js";

/** Writes the status if it differs from what the CloneSet says. @returns the names of the revisions that are in use after this pass */
export async function writeStatus(pass: Pass, revisions: Revisions | undefined): Promise<ReadonlySet<string>> {
  const { cloneSet, deps } = pass;
  const known = knownRevisions(pass, revisions);
  const nowMs = deps.clock.nowMs();
  const nowText = toRfc3339Seconds(nowMs);
  const pods = observePods(pass, known.updateRevision, nowMs);
  const status = cloneSetStatus(cloneSet, { ...known, ...observedGeneration(pass, revisions), pods, failures: pass.failures, nowText });
  comeBackForMinReady(pass, pods, nowMs);
  if (goJson(status) !== goJson(cloneSet.status ?? {})) {
    const object: CloneSet = { ...cloneSet, apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", status };
    const answer = await deps.client.replace(CLONE_SETS, { object, subresource: "status" }, pass.signal);
    deps.informers.cloneSets.applyWrite(answer);
  }
  const ofPods = pods.map(({ pod }) => revisionOf(pod) ?? "");
  return new Set([known.updateRevision, status.currentRevision ?? "", ...ofPods]);
}

type KnownRevisions = Pick<StatusFacts, "updateRevision" | "currentRevision" | "collisionCount">;

function knownRevisions({ cloneSet }: Pass, revisions: Revisions | undefined): KnownRevisions {
  if (revisions !== undefined) {
    return { updateRevision: revisions.update.name, currentRevision: revisions.currentName, collisionCount: revisions.collisionCount };
  }
  const { updateRevision = "", currentRevision = "", collisionCount = 0 } = cloneSet.status ?? {};
  return { updateRevision, currentRevision, collisionCount };
}

/** A template that could not be made a revision yet is not observed: what is counted is about the one before. */
function observedGeneration({ cloneSet }: Pass, revisions: Revisions | undefined): Pick<StatusFacts, "observedGeneration"> {
  const isObserved = revisions !== undefined || specProblems(cloneSet.spec).length > 0;
  return { observedGeneration: isObserved ? cloneSet.metadata.generation : cloneSet.status?.observedGeneration };
}

// No event comes when a pod has been ready for long enough. `nowMs` is when the pods were looked at: one that became available since then
// would not be come back for.
function comeBackForMinReady(pass: Pass, pods: readonly ObservedPod[], nowMs: number): void {
  const minReadyMs = (pass.cloneSet.spec.minReadySeconds ?? 0) * 1000;
  for (const { isReady, isAvailable, readySinceMs = nowMs } of pods) {
    const remainingMs = readySinceMs + minReadyMs - nowMs;
    if (isReady && !isAvailable && remainingMs > 0) pass.comeBackAfter(remainingMs);
  }
}
