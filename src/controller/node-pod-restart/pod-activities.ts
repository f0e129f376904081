import type { Pod } from "../../api/pod.js";
import { nextActivity, type PodActivity } from "../../core/container-restart/kubelet-window.js";
import type { Informer } from "../../kube/informer.js";
import type { Clock } from "../../lib/clock.js";

/** Remembers when each pod last changed, so that no container is stopped while its kubelet may hold an older version of the pod. */
export class PodActivities {
  readonly #byUid = new Map<string, PodActivity>();

  /** Call before the informer runs, and before any handler that decides on what is remembered here. */
  constructor(pods: Informer<Pod>, clock: Clock) {
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
}

function hasGate({ spec }: Pod): boolean {
  return (spec.readinessGates ?? []).length > 0;
}
