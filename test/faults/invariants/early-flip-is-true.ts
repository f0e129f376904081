import { IN_PLACE_UPDATE_READY, IN_PLACE_UPDATE_STATE } from "../../../src/api/names.js";
import type { StoredObject } from "../../../src/sim/api-server/json.js";
import { configOf, type Instance, Instances, podUidOf } from "./containers.js";
import { nodeOf, ObjectHistory, podOfSubject, uidOf, writesOf } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";
import { asPod, conditionStatus, wantedConfig } from "./pod-views.js";
import { REPORT_STEPS } from "../wires/steps.js";

/** From what is seen on a node to what is written because of it. */
const SEEN_WITHIN_MS = 1_500;

/** The gate of an updated pod opens only when its app runs with what the pod says. */
export const earlyFlipIsTrue: Invariant = {
  name: "early-flip-is-true",
  check(entries) {
    const pods = new ObjectHistory("pods", uidOf);
    const instances = new Instances();
    const reportedAtMs = new Map<string, number>();
    const stopped = new Set<string>();
    const violations: Violation[] = [];
    for (const [index, entry] of entries.entries()) {
      pods.add(entry);
      instances.add(entry);
      if (entry.type !== "step") continue;
      if (entry.step === "stop-container") stopped.add(entry.subject);
      if (REPORT_STEPS.includes(entry.step) && entry.phase === "applied") reportedAtMs.set(nodeOf(entry.actor) ?? "", entry.atMs);
      if (entry.step !== "open-gate" || entry.phase !== "applied") continue;
      const name = podOfSubject(entry.subject);
      const opened = writesOf(entries, index).find(({ object }) => object.metadata.name === name)?.object;
      if (opened === undefined || !wasUpdated(pods, opened)) continue;
      // The last that was told of the node; what a node that went down since would have told, nobody knows.
      const toldAtMs = reportedAtMs.get(asPod(opened).spec.nodeName ?? "") ?? entry.atMs;
      if (runsAsWanted({ pod: opened, instances, stopped, sinceMs: toldAtMs - SEEN_WITHIN_MS })) continue;
      const message = `${entry.actor} opens the gate of "${String(name)}", whose app does not run with ${String(wantedConfig(opened))}`;
      violations.push({ invariant: "early-flip-is-true", atMs: entry.atMs, message });
    }
    return violations;
  },
};

interface Sight {
  readonly pod: StoredObject;
  readonly instances: Instances;
  /** Instances that an agent was about to stop. */
  readonly stopped: ReadonlySet<string>;
  /** From when on nobody could be told of an end any more. */
  readonly sinceMs: number;
}

function runsAsWanted({ pod, instances, stopped, sinceMs }: Sight): boolean {
  const apps = [...instances.all()].filter((instance) => isAppOf(instance, pod)).sort(byAge);
  if (apps.some((app) => isWanted(app, pod) && (app.endedAtMs ?? Number.POSITIVE_INFINITY) >= sinceMs)) return true;
  // Nobody looks on once it has run; whoever ends it then, but we, does not undo the update.
  const newest = apps.at(-1);
  return newest !== undefined && isWanted(newest, pod) && !stopped.has(newest.container.id);
}

/** A new pod has no gate yet, and one whose change failed is as it was: there is nothing to wait for. */
export function wasUpdated(pods: ObjectHistory, opened: StoredObject): boolean {
  const before = pods.versions(opened.metadata.uid).at(-2)?.object;
  const hasState = asPod(opened).metadata.annotations?.[IN_PLACE_UPDATE_STATE] !== undefined;
  return hasState && before !== undefined && conditionStatus(before, IN_PLACE_UPDATE_READY) === "False";
}

function isAppOf({ container, startedAtMs }: Instance, pod: StoredObject): boolean {
  return podUidOf(container) === pod.metadata.uid && container.name === "app" && startedAtMs !== undefined;
}

function byAge(a: Instance, b: Instance): number {
  return a.container.attempt - b.container.attempt;
}

function isWanted({ container }: Instance, pod: StoredObject): boolean {
  const image = asPod(pod).spec.containers.find(({ name }) => name === container.name)?.image;
  return configOf(container) === wantedConfig(pod) && container.image === image;
}
