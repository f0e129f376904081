import type { Pod } from "../../api/pod.js";
import { beginUpdate } from "../../core/in-place-update/begin.js";
import { lifecyclePatch } from "../../core/in-place-update/lifecycle.js";
import { lifecycleOf, revisionOf } from "../../core/in-place-update/pod-facts.js";
import { planUpdate } from "../../core/in-place-update/plan.js";
import { decideRefresh } from "../../core/in-place-update/refresh.js";
import { meansRevision } from "../../core/revision/revision-name.js";
import { templateOfRevision } from "../../core/revision/revision-data.js";
import { factsOf } from "./facts.js";
import { forEachBounded } from "./for-each-bounded.js";
import { activePods, ownedRevisions } from "./observe.js";
import type { Pass } from "./pass.js";
import { writePodChange, writePodMetadata } from "./pod-writes.js";
import { reportWait } from "./report-wait.js";
import type { WaitRegister } from "./wait-register.js";

const PARALLEL_PODS = 8;

/**
 * Brings what is going on in the pods one step further: grace periods, batches, completion, lifecycle labels.
 *
 * Runs in every pass, also for a paused CloneSet or one that cannot be rolled out; one pod's failure never stops the others.
 */
export async function refreshPods(pass: Pass, waits: WaitRegister): Promise<void> {
  await forEachBounded(activePods(pass), PARALLEL_PODS, async (pod) => {
    try {
      await refreshPod(pass, pod, waits);
    } catch (error) {
      pass.failWith(error, { type: "FailedUpdate", reason: "FailedRefresh" });
    }
  });
}

async function refreshPod(pass: Pass, pod: Pod, waits: WaitRegister): Promise<void> {
  // Asked once: if it were over by the end of this look but not at its beginning, nobody would come back.
  const settlesInMs = pass.deps.activities.settlesInMs(pod.metadata.uid ?? "");
  const facts = factsOf(pass.deps, pod, settlesInMs === 0);
  const decision = decideRefresh({ pod, facts, nowMs: pass.deps.clock.nowMs(), waited: waits.waited(pod) });
  if (decision.type !== "wait") waits.settle(pod);
  switch (decision.type) {
    case "none":
      await settleRolledBack(pass, pod);
      return;
    case "wait":
      if (decision.requeueAfterMs !== undefined) pass.comeBackAfter(decision.requeueAfterMs);
      if (settlesInMs > 0) pass.comeBackAfter(settlesInMs); // until then, what its containers are told to be is not relied upon
      reportWait(pass, { pod, wait: decision.wait, waits });
      return;
    case "apply":
      await writePodChange(pass, pod, decision.change);
      return;
    case "broken":
      pass.announce("FailedUpdate", decision.reason, `pod ${pod.metadata.name}: ${decision.message}; the update is started anew`);
      await startAnew(pass, pod);
  }
}

// Only a hook leaves a pod in this state, and it was taken back before the hook let go. Hooks are not carried out here.
async function settleRolledBack(pass: Pass, pod: Pod): Promise<void> {
  const isWanted = meansRevision(revisionOf(pod), pass.cloneSet.status?.updateRevision ?? "");
  if (isWanted && lifecycleOf(pod) === "PreparingUpdate") {
    await writePodMetadata(pass, pod, lifecyclePatch("Normal", pass.deps.clock.nowMs()));
  }
}

/** Repeats the update to the revision that the pod has already, because nobody can read any more how far it had come. */
async function startAnew(pass: Pass, pod: Pod): Promise<void> {
  const revision = revisionOf(pod);
  const data = ownedRevisions(pass).find(({ metadata }) => meansRevision(revision, metadata.name))?.data;
  const template = templateOfRevision(data);
  if (revision === undefined || template === undefined) {
    pass.fail("FailedUpdate", "RevisionMissing", `Cannot finish the update of pod "${pod.metadata.name}": its revision is gone`);
    return;
  }
  const envFromMetadata = pass.deps.gates.isEnabled("InPlaceUpdateEnvFromMetadata");
  const plan = planUpdate({ pod, from: template, to: template, envFromMetadata });
  if (!plan.possible) {
    pass.fail("FailedUpdate", "UpdateUnreadable", `Cannot finish the update of pod "${pod.metadata.name}": ${plan.reason}`);
    return;
  }
  const change = beginUpdate({ pod, changes: plan.changes, revision, graceSeconds: 0, nowMs: pass.deps.clock.nowMs() });
  await writePodChange(pass, pod, change);
}
