import { POD_DELETION_COST } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import type { ObservedPod } from "./observed-pod.js";

type Compare = (a: ObservedPod, b: ObservedPod) => number;

/** The pods in the order in which an update should take them: those that hurt least first. */
export function inUpdateOrder(pods: readonly ObservedPod[]): readonly ObservedPod[] {
  return [...pods].sort(chain(ASSIGNED_LAST, RUNNING_LAST, READY_LAST, ...LATEST_FIRST));
}

/** The pods in the order in which scaling down should take them; `all` are the set's active pods, to see which nodes are crowded. */
export function inDeleteOrder(pods: readonly ObservedPod[], all: readonly ObservedPod[]): readonly ObservedPod[] {
  const crowd = podsPerNode(all);
  const cheapestFirst: Compare = (a, b) => deletionCost(a.pod) - deletionCost(b.pod);
  const crowdedFirst: Compare = (a, b) => (crowd.get(nodeOf(b)) ?? 0) - (crowd.get(nodeOf(a)) ?? 0);
  const rules = [GOING_FIRST, ASSIGNED_LAST, RUNNING_LAST, AVAILABLE_LAST, READY_LAST, cheapestFirst, crowdedFirst, ...LATEST_FIRST];
  return [...pods].sort(chain(...rules));
}

// Any other one in its place might be one too many.
const GOING_FIRST: Compare = (a, b) => Number(b.mayBeGone ?? false) - Number(a.mayBeGone ?? false);
const PHASE_ORDER: readonly (string | undefined)[] = ["Pending", "Unknown", "Running"];

const ASSIGNED_LAST: Compare = (a, b) => Number(nodeOf(a) !== "") - Number(nodeOf(b) !== "");
const RUNNING_LAST: Compare = (a, b) => PHASE_ORDER.indexOf(a.pod.status?.phase) - PHASE_ORDER.indexOf(b.pod.status?.phase);
const READY_LAST: Compare = (a, b) => Number(a.isReady) - Number(b.isReady);
const AVAILABLE_LAST: Compare = (a, b) => Number(a.isAvailable) - Number(b.isAvailable);

/** Ready for less time, then more restarts, then newer, then by name so that two passes agree. */
const LATEST_FIRST: readonly Compare[] = [
  (a, b) => (b.readySinceMs ?? 0) - (a.readySinceMs ?? 0),
  (a, b) => restarts(b.pod) - restarts(a.pod),
  (a, b) => compareText(b.pod.metadata.creationTimestamp ?? "", a.pod.metadata.creationTimestamp ?? ""),
  (a, b) => compareText(a.pod.metadata.name, b.pod.metadata.name),
];

function chain(...rules: readonly Compare[]): Compare {
  return (a, b) => {
    for (const rule of rules) {
      const order = rule(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function nodeOf(observed: ObservedPod): string {
  return observed.pod.spec.nodeName ?? "";
}

function podsPerNode(pods: readonly ObservedPod[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const pod of pods) if (nodeOf(pod) !== "") counts.set(nodeOf(pod), (counts.get(nodeOf(pod)) ?? 0) + 1);
  return counts;
}

function deletionCost(pod: Pod): number {
  const cost = Number(pod.metadata.annotations?.[POD_DELETION_COST] ?? "0");
  return Number.isInteger(cost) ? cost : 0;
}

function restarts(pod: Pod): number {
  return (pod.status?.containerStatuses ?? []).reduce((most, status) => Math.max(most, status.restartCount), 0);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
