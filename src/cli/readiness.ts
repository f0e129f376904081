import type { KubeObject } from "../api/meta.js";
import type { LeaderElector } from "../kube/leader-election.js";
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

/** Ready when the lease could be read: as leader, or as a standby that can take over at any time. */
export function leaseCheck(elector: LeaderElector): ReadinessCheck {
  return {
    name: "lease",
    problem() {
      const failure = elector.isLeader() ? undefined : elector.lastFailure();
      return failure === undefined ? undefined : failureMessage(failure);
    },
  };
}

/** Checks that ask nothing of a standby, which fills no caches. */
export function whileLeading(elector: LeaderElector, checks: readonly ReadinessCheck[]): readonly ReadinessCheck[] {
  return checks.map((check) => ({ name: check.name, problem: () => (elector.isLeader() ? check.problem() : undefined) }));
}
