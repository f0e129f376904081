import type { Entry } from "../journal.js";
import { configOf, Instances, podUidOf } from "./containers.js";
import { nodeOf, ObjectHistory, Reads, type StepEntry, uidOf } from "./history.js";
import type { Invariant, Violation } from "./invariant.js";
import { Leadership } from "./leadership.js";
import { wantedConfig } from "./pod-views.js";

/** From a change of a pod to the last stop that was decided on without it, if a controller leads and its agent hears of everything at once. */
const KNOWN_AFTER_MS = 5_000;
/** The same as long as nothing has happened to controllers and API server. */
const KNOWN_AT_ONCE_AFTER_MS = 1_000;
const FAR_FROM_CONTROLLERS = /^(agent|stop|runtime|kubelet|container|dead|killed|stale|user)-|^(node-reboot|socket-replaced)$/;

/** Nothing is stopped that already runs with what its pod says. */
export const noNeedlessStop: Invariant = {
  name: "no-needless-stop",
  check(entries) {
    const pods = new ObjectHistory("pods", uidOf);
    const instances = new Instances();
    const requests = new Requests();
    const leadership = new Leadership();
    const violations: Violation[] = [];
    let knownAfterMs = KNOWN_AT_ONCE_AFTER_MS;
    for (const entry of entries) {
      if (entry.type === "fault" && !FAR_FROM_CONTROLLERS.test(entry.fault)) knownAfterMs = KNOWN_AFTER_MS;
      pods.add(entry);
      instances.add(entry);
      requests.add(entry);
      leadership.add(entry);
      if (entry.type !== "step" || entry.step !== "stop-container" || entry.phase !== "before") continue;
      const container = instances.get(entry.subject)?.container;
      if (container === undefined) continue;
      const knownUntilMs = Math.min(requests.knownUntilMs(entry), leadership.ledUntilMs(entry.atMs));
      const versions = pods.sinceTime(podUidOf(container), knownUntilMs - knownAfterMs);
      const config = configOf(container);
      const isWanted = versions.every(({ object }) => object !== undefined && wantedConfig(object) === config);
      if (versions.length === 0 || !isWanted) continue;
      const message = `${entry.actor} stops ${container.name} ${entry.subject.slice(0, 12)}, which runs with ${String(config)} as its pod wants`;
      violations.push({ invariant: "no-needless-stop", atMs: entry.atMs, message });
    }
    return violations;
  },
};

/** What each agent knows of what it is asked. */
class Requests {
  readonly #objects = new ObjectHistory("nodepodrestarts");
  readonly #reads = new Reads("nodepodrestarts");

  add(entry: Entry): void {
    this.#objects.add(entry);
    this.#reads.add(entry);
  }

  /** When the first request, or withdrawal, was made that had not reached an agent at a step of its; the time of the step if there is none. */
  knownUntilMs({ actor, atMs }: StepEntry): number {
    const read = this.#reads.by(actor, atMs) ?? 0;
    return this.#objects.versions(nodeOf(actor) ?? "").find(({ revision }) => revision > read)?.atMs ?? atMs;
  }
}
