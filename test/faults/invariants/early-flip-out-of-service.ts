import type { StoredObject } from "../../../src/sim/api-server/json.js";
import { Instances, podUidOf } from "./containers.js";
import { wasUpdated } from "./early-flip-is-true.js";
import { ObjectHistory, podOfSubject, uidOf, writesOf } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";
import { asPod, conditionStatus } from "./pod-views.js";

/** A gate opens ahead of pod status only on a pod that is out of service: else traffic would have gone on to a container that restarts. */
export const earlyFlipOutOfService: Invariant = {
  name: "early-flip-out-of-service",
  check(entries) {
    const pods = new ObjectHistory("pods", uidOf);
    const instances = new Instances();
    const violations: Violation[] = [];
    for (const [index, entry] of entries.entries()) {
      pods.add(entry);
      instances.add(entry);
      if (entry.type !== "step" || entry.step !== "open-gate" || entry.phase !== "applied") continue;
      const name = podOfSubject(entry.subject);
      const opened = writesOf(entries, index).find(({ object }) => object.metadata.name === name)?.object;
      if (opened === undefined || !wasUpdated(pods, opened)) continue;
      const isInService = conditionStatus(opened, "Ready") === "True";
      if (!isInService || showsNewest(opened, instances)) continue;
      const message = `${entry.actor} opens the gate of "${String(name)}" ahead of its status, and it was Ready all the time`;
      violations.push({ invariant: "early-flip-out-of-service", atMs: entry.atMs, message });
    }
    return violations;
  },
};

function showsNewest(pod: StoredObject, instances: Instances): boolean {
  const posted = asPod(pod).status?.containerStatuses?.find(({ name }) => name === "app")?.containerID;
  const started = [...instances.all()].filter(({ container, startedAtMs }) => {
    return podUidOf(container) === pod.metadata.uid && container.name === "app" && startedAtMs !== undefined;
  });
  const newest = started.sort((a, b) => b.container.attempt - a.container.attempt)[0]?.container.id;
  return newest === undefined || posted?.endsWith(`://${newest}`) === true;
}
