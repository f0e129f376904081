import type { Pod } from "../api/pod.js";
import { nextActivity, type PodActivity } from "../core/container-restart/kubelet-window.js";
import type { Informer } from "../kube/informer.js";
import type { Clock } from "../lib/clock.js";

/**
 * Remembers when each pod last changed: as long as its kubelet may hold an older version of it, no container is stopped, and none that
 * runs is relied upon, for the next one may be started from that version.
 */
export class PodActivities {
  readonly #clock: Clock;
  readonly #byUid = new Map<string, PodActivity>();

  /** Call before the informer runs, and before any handler that decides on what is remembered here. */
  constructor(pods: Informer<Pod>, clock: Clock) {
    this.#clock = clock;
    pods.onChange(({ before, after }) => {
      const uid = (after ?? before)?.metadata.uid ?? "";
      if (after === undefined) this.#byUid.delete(uid);
      else if (hasGate(after))
        this.#byUid.set(uid, nextActivity(this.#byUid.get(uid), { ...(before && { before }), after }, clock.monotonicMs()));
    });
  }

  /** Units: milliseconds of the monotonic clock; undefined for a pod that is never updated in place. */
  stopNotBeforeMs(uid: string): number | undefined {
    return this.#byUid.get(uid)?.stopNotBeforeMs;
  }

  /** Until that is over for the pod; 0 if it is. Units: milliseconds */
  settlesInMs(uid: string): number {
    return Math.max(0, (this.stopNotBeforeMs(uid) ?? Number.NEGATIVE_INFINITY) - this.#clock.monotonicMs());
  }
}

function hasGate({ spec }: Pod): boolean {
  return (spec.readinessGates ?? []).length > 0;
}
