import type { KubeObject } from "../api/meta.js";

/** A coordination.k8s.io/v1 Lease. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** Who wants to hold a lease, for how long, as of when. */
export interface Claim {
  readonly identity: string;
  readonly durationSeconds: number;
  readonly nowMs: number;
}

/** The spec with which a claim takes or renews a lease that has this spec now. */
export function claimedSpec(current: LeaseSpec, { identity, durationSeconds, nowMs }: Claim): LeaseSpec {
  const renewTime = toMicroTime(nowMs);
  const isRenewal = current.holderIdentity === identity;
  const { acquireTime = renewTime, leaseTransitions = 0 } = current;
  return {
    ...current,
    holderIdentity: identity,
    leaseDurationSeconds: durationSeconds,
    renewTime,
    acquireTime: isRenewal ? acquireTime : renewTime,
    leaseTransitions: isRenewal ? leaseTransitions : leaseTransitions + (current.holderIdentity === undefined ? 0 : 1),
  };
}

/** The spec of a lease that its holder gives back: free, and over in a second for clients that look at times only. */
export function releasedSpec(current: LeaseSpec, nowMs: number): LeaseSpec {
  return { ...current, holderIdentity: "", leaseDurationSeconds: 1, renewTime: toMicroTime(nowMs) };
}

/** RFC 3339 with six digits of a second: metav1.MicroTime refuses anything else. */
export function toMicroTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
