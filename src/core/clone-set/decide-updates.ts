import { disruptionBudget } from "./decide-scale.js";
import type { Limits } from "./limits.js";
import type { ObservedPod } from "./observed-pod.js";
import { inUpdateOrder } from "./order.js";

/**
 * Decides which pods to bring to the template's revision now, in the order in which to start them.
 *
 * Keeps `partition` pods at the old revision, disturbs no available pod below `replicas - maxUnavailable`, and goes on to further pods
 * only while fewer than that many updated ones are still unavailable, so that a bad template stops after the first few pods.
 * `held` names pods (uid) that must not be started now, for example because their last try failed a moment ago.
 * Source: spec/in-place-update.md 2.6, 2.8.
 */
export function decideUpdates(pods: readonly ObservedPod[], limits: Limits, held: ReadonlySet<string> = new Set()): readonly ObservedPod[] {
  // A pod marked for deletion is on its way already: it is neither a candidate nor kept back by the partition.
  const old = pods.filter((pod) => !pod.isUpdated && !pod.isToDelete);
  const updated = pods.filter((pod) => pod.isUpdated).length;
  const wanted = Math.min(old.length - limits.partition, limits.replicas - limits.partition - updated);
  const slots = limits.maxUnavailable + pods.length - limits.replicas;
  const starting = pods.filter((pod) => !pod.isAvailable && (pod.isUpdated || pod.isToDelete)).length;
  const leaving = pods.filter((pod) => pod.isToDelete && pod.isAvailable).length;
  let budget = disruptionBudget(pods, limits) - leaving;
  const chosen: ObservedPod[] = [];
  for (const candidate of inUpdateOrder(old)) {
    if (chosen.length >= wanted || starting + leaving + chosen.length >= slots) break;
    if (held.has(candidate.pod.metadata.uid ?? "")) continue;
    if (candidate.isAvailable && budget <= 0) break;
    if (candidate.isAvailable) budget -= 1;
    chosen.push(candidate);
  }
  return chosen;
}
