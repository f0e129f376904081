import type { CloneSetSpec } from "../../api/clone-set.js";
import type { IntOrString } from "../../api/meta.js";
import { resolveIntOrPercent } from "../values/int-or-percent.js";

export const DEFAULT_MAX_UNAVAILABLE = "20%";

/** The numbers of a spec with defaults filled in and percentages resolved. */
export interface Limits {
  readonly replicas: number;
  /** Pods that stay at the old revision, 0 to replicas. */
  readonly partition: number;
  readonly maxUnavailable: number;
}

/** The limits that a spec asks for. Call only with a spec without problems: malformed values count as their defaults. */
export function limitsOf(spec: CloneSetSpec): Limits {
  const replicas = resolveIntOrPercent(spec.replicas ?? 1, 0, "down") ?? 1;
  const partition = resolvePartition(spec.updateStrategy?.partition ?? 0, replicas);
  const maxUnavailable = spec.updateStrategy?.maxUnavailable ?? DEFAULT_MAX_UNAVAILABLE;
  // Rounded up because maxSurge is always 0 here: with both rounded down a small set could never be updated.
  const resolved = resolveIntOrPercent(maxUnavailable, replicas, "up");
  return { replicas, partition, maxUnavailable: resolved ?? resolveIntOrPercent(DEFAULT_MAX_UNAVAILABLE, replicas, "up") ?? 1 };
}

// A percentage below 100 never keeps all pods back, or "99%" of 4 would update nothing.
function resolvePartition(partition: IntOrString, replicas: number): number {
  const resolved = resolveIntOrPercent(partition, replicas, "up") ?? 0;
  const keepsAll = typeof partition === "string" && partition !== "100%" && replicas > 1 && resolved >= replicas;
  return keepsAll ? replicas - 1 : Math.min(Math.max(resolved, 0), replicas);
}
