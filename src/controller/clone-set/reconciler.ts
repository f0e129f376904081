import { decideScale } from "../../core/clone-set/decide-scale.js";
import { limitsOf } from "../../core/clone-set/limits.js";
import type { ObservedPod } from "../../core/clone-set/observed-pod.js";
import { specProblems } from "../../core/clone-set/spec-problems.js";
import { unsupportedFields } from "../../core/clone-set/unsupported-fields.js";
import type { Reconciler, ReconcileResult } from "../../kube/reconciler.js";
import type { ControllerDependencies } from "../dependencies.js";
import { deleteExpiredRevisions, ensureRevisions, type Revisions } from "./ensure-revisions.js";
import type { Holds } from "./holds.js";
import { observePods } from "./observe.js";
import { Pass } from "./pass.js";
import { refreshPods } from "./refresh-pods.js";
import { releasePods } from "./release-pods.js";
import { scalePods } from "./scale-pods.js";
import { updatePods } from "./update-pods.js";
import type { WaitRegister } from "./wait-register.js";
import { writeStatus } from "./write-status.js";

export interface CloneSetReconcilerOptions {
  readonly deps: ControllerDependencies;
  /** Of updates, by the pod's uid and revision. */
  readonly holds: Holds;
  /** Of new pods, by the CloneSet's uid and generation. */
  readonly createHolds: Holds;
  /** Pods (uid) whose deletion got no answer. */
  readonly unanswered: Set<string>;
  readonly waits: WaitRegister;
  /** Brings the key back after a delay, beside the retry that a thrown error causes. */
  readonly comeBack: (key: string, delayMs: number) => void;
}

/**
 * Reconciles CloneSets: refreshes what is going on in the pods, then scales, and only if that changed nothing, updates.
 *
 * Each write's answer goes into the cache at once, so the next pass, which the write itself causes, decides with it.
 */
export function createCloneSetReconciler(options: CloneSetReconcilerOptions): Reconciler {
  return {
    async reconcile(key, signal): Promise<ReconcileResult> {
      const cloneSet = options.deps.informers.cloneSets.store.get(key);
      if (cloneSet === undefined) return {};
      const pass = new Pass(options.deps, cloneSet, signal);
      await refreshPods(pass, options.waits);
      const revisions = cloneSet.metadata.deletionTimestamp === undefined ? await roll(pass, options) : undefined;
      await finish(pass, revisions);
      const { error, requeueAfterMs } = pass;
      if (error !== undefined) {
        if (requeueAfterMs !== undefined) options.comeBack(key, requeueAfterMs);
        throw error;
      }
      return requeueAfterMs === undefined ? {} : { requeueAfterMs };
    },
  };
}

/** Everything that the spec asks for. @returns undefined if the template could not be made a revision */
async function roll(pass: Pass, options: CloneSetReconcilerOptions): Promise<Revisions | undefined> {
  const { spec } = pass.cloneSet;
  const problems = specProblems(spec);
  if (problems.length > 0) {
    pass.announce("FailedUpdate", "InvalidSpec", problems.map(({ field, message }) => `${field} ${message}`).join("; "));
    return undefined;
  }
  const unsupported = unsupportedFields(spec);
  if (unsupported.length > 0) pass.announce("FailedUpdate", "UnsupportedField", unsupportedMessage(unsupported.map(({ field }) => field)));
  try {
    await releasePods(pass);
    const revisions = await ensureRevisions(pass);
    if (unsupported.some(({ stops }) => stops === "everything")) return revisions;
    const { createHolds, unanswered } = options;
    const pods = observePods(pass, revisions.update.name).map((observed): ObservedPod => {
      return unanswered.has(observed.pod.metadata.uid ?? "") ? { ...observed, mayBeGone: true } : observed;
    });
    const hasScaled = await scalePods(pass, { revisions, decision: decideScale(pods, limitsOf(spec)), holds: createHolds, unanswered });
    if (hasScaled || unsupported.length > 0 || spec.updateStrategy?.paused === true) return revisions;
    await updatePods(pass, revisions, options.holds);
    return revisions;
  } catch (error) {
    pass.failWith(error, { type: "FailedUpdate", reason: "FailedRevision" });
    return undefined;
  }
}

function unsupportedMessage(fields: readonly string[]): string {
  return `${fields.join(", ")}: accepted but not implemented yet, so the rollout stands still; remove the field to go on`;
}

async function finish(pass: Pass, revisions: Revisions | undefined): Promise<void> {
  try {
    const live = await writeStatus(pass, revisions);
    if (revisions !== undefined) await deleteExpiredRevisions(pass, live);
  } catch (error) {
    pass.failWith(error, { type: "FailedUpdate", reason: "FailedStatus" });
  }
}
