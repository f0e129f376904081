import { configOf, Instances, podUidOf } from "./containers.js";
import { ObjectHistory, uidOf } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";
import { wantedConfig } from "./pod-views.js";

/** From a change of a pod to the last stop that was decided on without it. */
const KNOWN_AFTER_MS = 5_000;

/** Nothing is stopped that already runs with what its pod says. */
export const noNeedlessStop: Invariant = {
  name: "no-needless-stop",
  check(entries) {
    const pods = new ObjectHistory("pods", uidOf);
    const instances = new Instances();
    const violations: Violation[] = [];
    for (const entry of entries) {
      pods.add(entry);
      instances.add(entry);
      if (entry.type !== "step" || entry.step !== "stop-container" || entry.phase !== "before") continue;
      const container = instances.get(entry.subject)?.container;
      if (container === undefined) continue;
      const versions = pods.sinceTime(podUidOf(container), entry.atMs - KNOWN_AFTER_MS);
      const config = configOf(container);
      const isWanted = versions.every(({ object }) => object !== undefined && wantedConfig(object) === config);
      if (versions.length === 0 || !isWanted) continue;
      const message = `${entry.actor} stops ${container.name} ${entry.subject.slice(0, 12)}, which runs with ${String(config)} as its pod wants`;
      violations.push({ invariant: "no-needless-stop", atMs: entry.atMs, message });
    }
    return violations;
  },
};
