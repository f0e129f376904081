import { SPECIFIED_DELETE } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { decideUpdates } from "../../core/clone-set/decide-updates.js";
import { limitsOf } from "../../core/clone-set/limits.js";
import { beginUpdate } from "../../core/in-place-update/begin.js";
import { planUpdate } from "../../core/in-place-update/plan.js";
import { revisionOf } from "../../core/in-place-update/pod-facts.js";
import type { UpdatePlan } from "../../core/in-place-update/types.js";
import { failureMessage } from "../../lib/failure.js";
import type { Revisions } from "./ensure-revisions.js";
import type { Hold, Holds } from "./holds.js";
import { observePods } from "./observe.js";
import type { Pass } from "./pass.js";
import { writePodChange, writePodMetadata } from "./pod-writes.js";

const FAILURE_EVENTS = { InPlace: "FailedUpdatePodInPlace", ReCreate: "FailedUpdatePodReCreate" } as const;

/** Starts bringing pods to the template's revision, as many as the limits allow now; each failure is left in the pass. */
export async function updatePods(pass: Pass, revisions: Revisions, holds: Holds): Promise<void> {
  const limits = limitsOf(pass.cloneSet.spec);
  const pods = observePods(pass, revisions.update.name);
  const held = new Set(pods.flatMap(({ pod }) => heldBack(pass, pod, holds.current(pod.metadata.uid ?? "", revisions.update.name))));
  // One after the other: should this process end in between, those that hurt least have been taken first.
  for (const { pod } of decideUpdates(pods, limits, held)) await updatePod(pass, pod, { revisions, holds });
}

function heldBack(pass: Pass, pod: Pod, hold: Hold | undefined): readonly string[] {
  if (hold === undefined) return [];
  pass.fail("FailedUpdate", "FailedUpdatePod", hold.message);
  pass.comeBackAfter(Math.max(hold.untilMs - pass.deps.clock.nowMs(), 1));
  return [pod.metadata.uid ?? ""];
}

interface UpdateContext {
  readonly revisions: Revisions;
  readonly holds: Holds;
}

async function updatePod(pass: Pass, pod: Pod, { revisions, holds }: UpdateContext): Promise<void> {
  const { name, uid = "" } = pod.metadata;
  const revision = revisions.update.name;
  const plan = planFor(pass, pod, revisions);
  const kind = plan.possible ? "InPlace" : "ReCreate";
  try {
    if (plan.possible) await updateInPlace(pass, pod, { plan, revision });
    else await replaceLater(pass, pod, { plan, revision });
    holds.remove(uid);
  } catch (error) {
    const message = `Cannot update pod "${name}": ${failureMessage(error)}`;
    const isTold = pass.failWith(error, { type: "FailedUpdate", reason: "FailedUpdatePod", message });
    if (!isTold) return;
    holds.add(uid, revision, message);
    pass.record("Warning", FAILURE_EVENTS[kind], `failed to update pod ${name} (revision ${revision}): ${failureMessage(error)}`);
  }
}

function planFor(pass: Pass, pod: Pod, { update, templateOf }: Revisions): UpdatePlan {
  if (!policy(pass).startsWith("InPlace")) return { possible: false, reason: "the policy is ReCreate" };
  const from = templateOf(revisionOf(pod) ?? "");
  const envFromMetadata = pass.deps.gates.isEnabled("InPlaceUpdateEnvFromMetadata");
  return planUpdate({ pod, from, to: update.template, envFromMetadata });
}

async function updateInPlace(
  pass: Pass,
  pod: Pod,
  { plan, revision }: { readonly plan: UpdatePlan & { readonly possible: true }; readonly revision: string },
): Promise<void> {
  const graceSeconds = pass.cloneSet.spec.updateStrategy?.inPlaceUpdateStrategy?.gracePeriodSeconds ?? 0;
  await writePodChange(pass, pod, beginUpdate({ pod, changes: plan.changes, revision, graceSeconds, nowMs: pass.deps.clock.nowMs() }));
  const message = `successfully update pod ${pod.metadata.name} in-place(revision ${revision})`;
  pass.record("Normal", "SuccessfulUpdatePodInPlace", message);
  pass.logger.info("Pod update starts in place", { pod: pod.metadata.name, revision, restarts: plan.restarts, graceSeconds });
}

/** Marks the pod for replacement, or says why it must stay as it is. */
async function replaceLater(
  pass: Pass,
  pod: Pod,
  { plan, revision }: { readonly plan: UpdatePlan & { readonly possible: false }; readonly revision: string },
): Promise<void> {
  const { name } = pod.metadata;
  if (plan.unsupported === true) {
    pass.announce("FailedUpdate", "UnsupportedChange", `Cannot update pod "${name}" in place: ${plan.reason}`);
    return;
  }
  if (policy(pass) === "InPlaceOnly") {
    const wayOut = "undo that change, or use policy InPlaceIfPossible to replace the pod";
    pass.announce("FailedUpdate", "InPlaceImpossible", `Cannot update pod "${name}" in place: ${plan.reason}; ${wayOut}`);
    return;
  }
  await writePodMetadata(pass, pod, { labels: { [SPECIFIED_DELETE]: "true" } });
  const message = `successfully patch pod ${name} specified-delete for update(revision ${revision})`;
  pass.record("Normal", "SuccessfulUpdatePodReCreate", message);
  pass.logger.info("Pod is marked for replacement", { pod: name, revision, reason: plan.reason });
}

function policy(pass: Pass): string {
  return pass.cloneSet.spec.updateStrategy?.type ?? "ReCreate";
}
