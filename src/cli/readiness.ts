import type { KubeObject } from "../api/meta.js";
import type { ObservedInformer } from "../kube/reflector.js";
import { failureMessage } from "../lib/failure.js";
import type { ReadinessCheck } from "../observe/health-server.js";

/** Ready when the cache has been filled once; a watch that is down later is retried and costs no readiness. */
export function cacheCheck(name: string, informer: ObservedInformer<KubeObject>): ReadinessCheck {
  return {
    name: `${name}-synced`,
    problem() {
      if (informer.store.hasSynced()) return undefined;
      const failure = informer.lastFailure();
      return failure === undefined ? "not listed yet" : failureMessage(failure);
    },
  };
}
