import { Instances, podUidOf } from "./containers.js";
import { ObjectHistory, uidOf, type Version } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";
import { wantedConfig } from "./pod-views.js";

/** Stops of one revision, beside the first. */
const FURTHER_STOPS = 3;

/** However often things go wrong, no container is restarted on and on. */
export const restartsBounded: Invariant = {
  name: "restarts-bounded",
  check(entries) {
    const pods = new ObjectHistory("pods", uidOf);
    const instances = new Instances();
    const stopped = new Map<string, Set<string>>();
    const violations: Violation[] = [];
    for (const entry of entries) {
      pods.add(entry);
      instances.add(entry);
      if (entry.type !== "step" || entry.step !== "stop-container" || entry.phase !== "applied") continue;
      const container = instances.get(entry.subject)?.container;
      if (container === undefined) continue;
      const uid = podUidOf(container);
      const ids = stopped.get(`${uid} ${container.name}`) ?? new Set();
      stopped.set(`${uid} ${container.name}`, ids.add(entry.subject));
      const limit = changesOf(pods.versions(uid)) + FURTHER_STOPS;
      if (ids.size <= limit) continue;
      const message = `${entry.actor} stops the ${String(ids.size)}th instance of ${container.name}, more than ${String(limit)}`;
      violations.push({ invariant: "restarts-bounded", atMs: entry.atMs, message });
    }
    return violations;
  },
};

/** How often the pod got another value. */
function changesOf(versions: readonly Version[]): number {
  const values = versions.flatMap(({ object }) => (object === undefined ? [] : [wantedConfig(object)]));
  return values.filter((value, index) => index > 0 && value !== values[index - 1]).length;
}
