import { SPECIFIED_DELETE } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { decideUpdates } from "../../core/clone-set/decide-updates.js";
import { limitsOf } from "../../core/clone-set/limits.js";
import type { ObservedPod } from "../../core/clone-set/observed-pod.js";
import { beginUpdate } from "../../core/in-place-update/begin.js";
import { planUpdate } from "../../core/in-place-update/plan.js";
import { revisionOf } from "../../core/in-place-update/pod-facts.js";
import type { UpdatePlan } from "../../core/in-place-update/types.js";
import { failureKind, failureMessage } from "../../lib/failure.js";
import type { Revisions } from "./ensure-revisions.js";
import type { Hold, Holds } from "./holds.js";
import { activePods, observePods } from "./observe.js";
import type { Pass } from "./pass.js";
import { writePodChange, writePodMetadata } from "./pod-writes.js";
import { settleDoubts } from "./settle-doubts.js";

const FAILURE_EVENTS = { InPlace: "FailedUpdatePodInPlace", ReCreate: "FailedUpdatePodReCreate" } as const;

/** After so long, what was decided is decided again: pods may have become unavailable meanwhile. */
const DECIDED_FOR_MS = 50;

/** Starts bringing pods to the template's revision, as many as the limits allow now; each failure is left in the pass. */
export async function updatePods(pass: Pass, revisions: Revisions, holds: Holds): Promise<void> {
  const { clock } = pass.deps;
  const revision = revisions.update.name;
  await settleDoubts(pass, holds);
  for (const { metadata } of activePods(pass))
    tellHold(pass, holds.current(metadata.uid ?? "", revision) ?? holds.inDoubt(metadata.uid ?? ""));
  const tried = new Set<string>();
  let chosen = chooseUpdates(pass, { revision, holds, tried });
  let decidedMs = clock.monotonicMs();
  // One after the other: should this process end in between, those that hurt least have been taken first.
  for (;;) {
    if (clock.monotonicMs() - decidedMs > DECIDED_FOR_MS) {
      chosen = chooseUpdates(pass, { revision, holds, tried });
      decidedMs = clock.monotonicMs();
    }
    const [next, ...others] = chosen;
    // A long pass must not go on with what a user has paused, scaled or taken back meanwhile.
    if (next === undefined || pass.isOutdated) return;
    chosen = others;
    tried.add(next.pod.metadata.uid ?? "");
    await updatePod(pass, next.pod, { revisions, holds });
  }
}

interface Choice {
  readonly revision: string;
  readonly holds: Holds;
  /** Pods (uid) that this pass has taken already. */
  readonly tried: ReadonlySet<string>;
}

function chooseUpdates(pass: Pass, choice: Choice): readonly ObservedPod[] {
  const { revision, holds } = choice;
  const pods = observePods(pass, revision);
  const held = new Set(
    pods.flatMap(({ pod: { metadata } }) => (holds.current(metadata.uid ?? "", revision) === undefined ? [] : (metadata.uid ?? ""))),
  );
  // WARNING: a pod whose answer was lost may be out of service already. Not counted, another one would be taken beside it.
  const counted = pods.map((observed) =>
    mayBeUpdated(observed, choice) ? { ...observed, isUpdated: true, isAvailable: false } : observed,
  );
  return decideUpdates(counted, limitsOf(pass.cloneSet.spec), held);
}

/** Our write may be done although the cache does not show it. */
function mayBeUpdated({ pod }: ObservedPod, { holds, tried }: Choice): boolean {
  const { uid = "" } = pod.metadata;
  return tried.has(uid) || holds.inDoubt(uid) !== undefined;
}

function tellHold(pass: Pass, hold: Hold | undefined): void {
  if (hold === undefined) return;
  pass.fail("FailedUpdate", "FailedUpdatePod", hold.message);
  pass.comeBackAfter(Math.max(hold.untilMs - pass.deps.clock.monotonicMs(), 1));
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
    if (failureKind(error) === "transient") holds.doubt(uid);
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
