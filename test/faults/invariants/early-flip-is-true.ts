import { IN_PLACE_UPDATE_READY, IN_PLACE_UPDATE_STATE } from "../../../src/api/names.js";
import type { StoredObject } from "../../../src/sim/api-server/json.js";
import { configOf, type Instance, Instances, podUidOf } from "./containers.js";
import { nodeOf, ObjectHistory, podOfSubject, uidOf, writesOf } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";
import { asPod, conditionStatus, wantedConfig } from "./pod-views.js";

/** From what is seen on a node to what is written because of it. */
const SEEN_WITHIN_MS = 1_500;

/** The gate of an updated pod opens only when its app runs with what the pod says. */
export const earlyFlipIsTrue: Invariant = {
  name: "early-flip-is-true",
  check(entries) {
    const pods = new ObjectHistory("pods", uidOf);
    const instances = new Instances();
    const reportedAtMs = new Map<string, number>();
    const violations: Violation[] = [];
    for (const [index, entry] of entries.entries()) {
      pods.add(entry);
      instances.add(entry);
      if (entry.type === "step" && entry.step === "report-restart" && entry.phase === "applied")
        reportedAtMs.set(nodeOf(entry.actor) ?? "", entry.atMs);
      if (entry.type !== "step" || entry.step !== "open-gate" || entry.phase !== "applied") continue;
      const name = podOfSubject(entry.subject);
      const opened = writesOf(entries, index).find(({ object }) => object.metadata.name === name)?.object;
      if (opened === undefined || !wasUpdated(pods, opened)) continue;
      // The last that was told of the node; what a node that went down since would have told, nobody knows.
      const toldAtMs = reportedAtMs.get(asPod(opened).spec.nodeName ?? "") ?? entry.atMs;
      if ([...instances.all()].some((instance) => isWanted(instance, opened, toldAtMs - SEEN_WITHIN_MS))) continue;
      const message = `${entry.actor} opens the gate of "${String(name)}", whose app does not run with ${String(wantedConfig(opened))}`;
      violations.push({ invariant: "early-flip-is-true", atMs: entry.atMs, message });
    }
    return violations;
  },
};

/** A new pod has no gate yet, and one whose change failed is as it was: there is nothing to wait for. */
export function wasUpdated(pods: ObjectHistory, opened: StoredObject): boolean {
  const before = pods.versions(opened.metadata.uid).at(-2)?.object;
  const hasState = asPod(opened).metadata.annotations?.[IN_PLACE_UPDATE_STATE] !== undefined;
  return hasState && before !== undefined && conditionStatus(before, IN_PLACE_UPDATE_READY) === "False";
}

function isWanted({ container, startedAtMs, endedAtMs = Number.POSITIVE_INFINITY }: Instance, pod: StoredObject, sinceMs: number): boolean {
  if (podUidOf(container) !== pod.metadata.uid || container.name !== "app" || startedAtMs === undefined || endedAtMs < sinceMs)
    return false;
  const image = asPod(pod).spec.containers.find(({ name }) => name === container.name)?.image;
  return configOf(container) === wantedConfig(pod) && container.image === image;
}
