import type { CloneSet, CloneSetStatus } from "../../api/clone-set.js";
import { formatSelector } from "../values/label-selector.js";
import { type Failure, withFailures } from "./conditions.js";
import { limitsOf } from "./limits.js";
import type { ObservedPod } from "./observed-pod.js";

/** What a pass found out, from which the status is made. */
export interface StatusFacts {
  readonly pods: readonly ObservedPod[];
  /** Empty while no revision holds the template, and then not written. */
  readonly updateRevision: string;
  /** The revision that most pods came from before this rollout. */
  readonly currentRevision: string;
  readonly collisionCount: number;
  /** Of the spec that the counts are about; undefined while there is none. */
  readonly observedGeneration: number | undefined;
  readonly failures: readonly Failure[];
  readonly nowText: string;
}

/**
 * The status of a CloneSet after a pass. Unknown fields of the old status are kept.
 *
 * `currentRevision` moves on once every pod is updated and none is missing; being ready is not asked.
 * Source: spec/in-place-update.md 2.2.
 */
export function cloneSetStatus(cloneSet: CloneSet, facts: StatusFacts): CloneSetStatus {
  const conditions = withFailures(cloneSet.status?.conditions ?? [], facts.failures, facts.nowText);
  const { observedGeneration } = facts;
  const { replicas, partition } = limitsOf(cloneSet.spec);
  const updated = facts.pods.filter((pod) => pod.isUpdated);
  const isRolledOut = updated.length === facts.pods.length && facts.pods.length === replicas;
  const currentRevision = isRolledOut ? facts.updateRevision : facts.currentRevision;
  return {
    ...foreignFields(cloneSet.status ?? {}),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(conditions.length === 0 ? {} : { conditions }),
    replicas: facts.pods.length,
    readyReplicas: count(facts.pods, (pod) => pod.isReady),
    availableReplicas: count(facts.pods, (pod) => pod.isAvailable),
    updatedReplicas: updated.length,
    updatedReadyReplicas: count(updated, (pod) => pod.isReady),
    ...unlessZero(
      "updatedAvailableReplicas",
      count(updated, (pod) => pod.isAvailable),
    ),
    ...unlessZero("expectedUpdatedReplicas", replicas - partition),
    ...(facts.updateRevision === "" ? {} : { updateRevision: facts.updateRevision, currentRevision }),
    collisionCount: facts.collisionCount,
    labelSelector: formatSelector(cloneSet.spec.selector),
  };
}

/** Present in some statuses only; everything else that we write is always there. */
const OPTIONAL_FIELDS: readonly string[] = ["conditions", "updatedAvailableReplicas", "expectedUpdatedReplicas"];

function foreignFields(status: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(status).filter(([name]) => !OPTIONAL_FIELDS.includes(name)));
}

function count(pods: readonly ObservedPod[], isCounted: (pod: ObservedPod) => boolean): number {
  return pods.filter(isCounted).length;
}

function unlessZero(name: "updatedAvailableReplicas" | "expectedUpdatedReplicas", value: number): Partial<CloneSetStatus> {
  return value === 0 ? {} : { [name]: value };
}
