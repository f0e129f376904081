import type { Limits } from "./limits.js";
import { inDeleteOrder } from "./order.js";
import type { ObservedPod } from "./observed-pod.js";

/** What scaling does next. Creating and deleting happen together only when a pod was marked for replacement. */
export interface ScaleDecision {
  /** New pods at the revision that most pods come from (the partition's share). */
  readonly createCurrent: number;
  /** New pods at the revision of the template. */
  readonly createUpdated: number;
  readonly remove: readonly ObservedPod[];
}

/** Pods that one pass creates; their arrival brings on the next. Bounds memory, and how long a pass keeps a CloneSet from anything else. */
const MAX_CREATED_AT_ONCE = 500;

/**
 * Decides which pods to create and to delete, given all active pods of a CloneSet.
 *
 * Deleting ready pods never leaves fewer available pods than `replicas - maxUnavailable`; pods that are not ready cost nothing.
 * Source: spec/in-place-update.md 2.6 and 2.7, but pods marked for deletion count as unavailable too when they are.
 */
export function decideScale(pods: readonly ObservedPod[], limits: Limits): ScaleDecision {
  const missing = Math.min(Math.max(limits.replicas - pods.length, 0), MAX_CREATED_AT_ONCE);
  const old = pods.filter((pod) => !pod.isUpdated).length;
  const createCurrent = Math.min(missing, Math.max(limits.partition - old, 0));
  const marked = pods.filter((pod) => pod.isToDelete);
  const candidates = marked.length > 0 ? inDeleteOrder(marked, pods) : surplus(pods, limits);
  return { createCurrent, createUpdated: missing - createCurrent, remove: withinBudget(candidates, pods, limits) };
}

/** How many more available pods may be disturbed now; negative while fewer are available than the limit asks for. */
export function disruptionBudget(pods: readonly ObservedPod[], limits: Limits): number {
  return pods.filter((pod) => pod.isAvailable).length - (limits.replicas - limits.maxUnavailable);
}

function surplus(pods: readonly ObservedPod[], limits: Limits): readonly ObservedPod[] {
  const count = Math.max(pods.length - limits.replicas, 0);
  const old = pods.filter((pod) => !pod.isUpdated);
  const fromOld = Math.min(count, Math.max(old.length - limits.partition, 0));
  const updated = pods.filter((pod) => pod.isUpdated);
  return [...inDeleteOrder(old, pods).slice(0, fromOld), ...inDeleteOrder(updated, pods).slice(0, count - fromOld)];
}

function withinBudget(candidates: readonly ObservedPod[], pods: readonly ObservedPod[], limits: Limits): readonly ObservedPod[] {
  let budget = disruptionBudget(pods, limits);
  return candidates.filter((candidate) => {
    if (!candidate.isReady) return true;
    budget -= 1;
    return budget >= 0;
  });
}
