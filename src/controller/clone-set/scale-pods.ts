import type { Pod } from "../../api/pod.js";
import { PODS } from "../../api/resources.js";
import type { DeleteOptions } from "../../kube/client.js";
import { failureKind, failureMessage } from "../../lib/failure.js";
import { type CreateContext, createPods } from "./create-pods.js";
import { forEachBounded } from "./for-each-bounded.js";
import type { Pass } from "./pass.js";
import { podName } from "./pod-writes.js";

const PARALLEL_DELETES = 8;

/** What scaling works with. */
export interface ScaleContext extends CreateContext {
  /** Pods (uid) whose deletion got no answer. */
  readonly unanswered: Set<string>;
}

/**
 * Carries out what scaling decided; each failure is left in the pass. What the API server refuses does not count: pods that cannot be
 * replaced or added, for want of quota for example, must not keep the others from being updated.
 * @returns whether it has created or deleted a pod, or may have deleted one
 */
export async function scalePods(pass: Pass, context: ScaleContext): Promise<boolean> {
  const hasCreated = await createPods(pass, context);
  const hasDeleted = await deletePods(pass, context);
  return hasCreated || hasDeleted;
}

/** @returns whether a pod was deleted, or may have been */
async function deletePods(pass: Pass, { decision, unanswered }: ScaleContext): Promise<boolean> {
  let mayHaveDeleted = false;
  await forEachBounded(decision.remove, PARALLEL_DELETES, async ({ pod }) => {
    if (pass.isOutdated) return;
    const { name, uid = "" } = pod.metadata;
    try {
      const request = { target: podName(pod), options: versionOf(pod) };
      const answer = await pass.deps.client.delete<Pod>(PODS, request, pass.signal);
      if (answer !== undefined) pass.deps.informers.pods.applyWrite(answer);
      mayHaveDeleted = true;
      unanswered.delete(uid);
      pass.record("Normal", "SuccessfulDelete", `succeed to delete pod ${name}`);
      pass.logger.info("Pod deleted", { pod: name });
    } catch (error) {
      const kind = failureKind(error);
      if (kind === "missing") pass.deps.informers.pods.applyMissing(pod);
      if (kind === "transient") unanswered.add(uid);
      // Also a conflict: what has changed the pod may be the deletion that got no answer.
      if (kind !== "missing" && unanswered.has(uid)) mayHaveDeleted = true;
      const isTold = pass.failWith(error, { type: "FailedScale", reason: "FailedDelete" });
      if (isTold) pass.record("Warning", "FailedDelete", `failed to delete pod ${name}: ${failureMessage(error)}`);
    }
  });
  return mayHaveDeleted;
}

// Of the pod as it was looked at: one that has become ready meanwhile is not deleted as one that was not.
function versionOf({ metadata: { uid, resourceVersion } }: Pod): DeleteOptions {
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}
