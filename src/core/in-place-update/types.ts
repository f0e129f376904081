import type { StringMap } from "../../api/meta.js";

/** Labels and annotations, as the maps of the wire write them. */
export interface MetadataValues {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
}

/** Values to set; null removes the key. */
export type MapPatch = Readonly<Record<string, string | null>>;

/** A strategic merge patch of a pod's metadata, as far as a template can change it. */
export interface MetadataPatch {
  readonly labels?: MapPatch;
  readonly annotations?: MapPatch;
  readonly finalizers?: readonly string[];
  readonly "$deleteFromPrimitiveList/finalizers"?: readonly string[];
}

/** What has to change in one running pod. Nothing in it has been written yet. */
export interface TemplateChanges {
  /** Container name to its new image; only containers whose live image differs. */
  readonly images: StringMap;
  /** Container name to the values that its env reads and that change. A removed key is in `metadata` instead, as the wire demands. */
  readonly refMetadata: Readonly<Record<string, MetadataValues>>;
  /** Everything else, and every removed key. */
  readonly metadata: MetadataPatch;
  /** Containers that must restart because their env reads a changed or removed key; sorted. */
  readonly envContainers: readonly string[];
}

/**
 * Whether one pod can follow its template in place.
 *
 * `reason` is for people and names the field path, never a value. `unsupported`: an in-place change that is not
 * implemented yet, so the pod must be left alone and the rollout must say so, instead of recreating the pod.
 */
export type UpdatePlan =
  | {
      readonly possible: true;
      readonly changes: TemplateChanges /** Containers that will restart; sorted. */;
      readonly restarts: readonly string[];
    }
  | { readonly possible: false; readonly reason: string; readonly unsupported?: true };

/** Body of a strategic merge patch for a pod. Absent `resourceVersion`: the pod had none. */
export interface PodPatch {
  readonly metadata: MetadataPatch & { readonly resourceVersion?: string };
  readonly spec?: { readonly containers: readonly { readonly name: string; readonly image: string }[] };
}

/** A condition in a patch; null removes the field, an absent field stays as it is. */
export interface ConditionPatch {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string | null;
  readonly message?: string | null;
  readonly lastTransitionTime: string;
}

/** Body of a strategic merge patch for a pod's `/status`. */
export interface PodStatusPatch {
  readonly metadata: MetadataPatch & { readonly resourceVersion?: string };
  readonly status: { readonly conditions: readonly ConditionPatch[] };
}

/**
 * Writes to one pod. When both are set, `statusPatch` goes first (subresource `status`), then `patch` with the resourceVersion of
 * the answer (`withResourceVersion`). Both are `application/strategic-merge-patch+json` and carry the version decided upon.
 */
export interface PodChange {
  readonly statusPatch?: PodStatusPatch;
  readonly patch?: PodPatch;
}

/** Whom an unfinished update waits for. */
export type WaitingFor = "grace" | "image pull" | "kubelet" | "agent" | "readiness" | "unsupported";

/** Why an update has not finished; `message` holds no number that changes, so that events aggregate. */
export interface UpdateWait {
  readonly waitingFor: WaitingFor;
  readonly container?: string;
  /** When the step that waits began, by the annotations' times; epoch. */
  readonly sinceMs: number;
  readonly message: string;
}

/** How long somebody has seen a pod wait, by a clock that never jumps. */
export interface Waited {
  /** Which wait: the `sinceMs` of its UpdateWait. */
  readonly sinceMs: number;
  readonly forMs: number;
}

/**
 * The next step for one owned pod.
 *
 * - none: nothing to do, the pod is settled (or terminating).
 * - wait: an update is in progress. `requeueAfterMs` only during the grace period; otherwise the next event brings it on.
 * - apply: send the change. Steps: `mark-ready` (a new pod's first condition, or the flip back of an update that never began),
 *   `finish-grace`, `drop-grace`, `next-batch`, `complete` (condition True, facts annotation, lifecycle), `lifecycle` (labels only).
 * - broken: an annotation of the update cannot be read. To rebuild: `planUpdate` with the template of the pod's own revision as
 *   `from` and `to`, then `beginUpdate` to that same revision. Report it; do not stop for it.
 */
export type RefreshDecision =
  | { readonly type: "none" }
  | { readonly type: "wait"; readonly wait: UpdateWait; readonly requeueAfterMs?: number }
  | { readonly type: "apply"; readonly step: RefreshStep; readonly change: PodChange }
  | { readonly type: "broken"; readonly reason: "StateUnreadable" | "GraceUnreadable"; readonly message: string };

export type RefreshStep = "mark-ready" | "finish-grace" | "drop-grace" | "next-batch" | "complete" | "lifecycle";

/**
 * A container of a pod in mid-update about which the node's agent has something to do or to tell.
 *
 * - env: stop the instance whose live env hash differs from `expectedEnvHash`.
 * - image: the kubelet restarts it; facts prove that it has.
 * - both: observe first; stop only an instance whose plain hash matches and whose env hash does not.
 * - facts: not part of the update; its facts complete the pod's facts annotation. Never stop it.
 */
export interface PendingContainer {
  readonly container: string;
  readonly reason: "env" | "image" | "both" | "facts";
  /** `NO_ENV_HASH` when no variable comes from metadata. */
  readonly expectedEnvHash: number;
  /** Names of the variables that come from metadata; empty when the update does not concern env. */
  readonly envNames: readonly string[];
  readonly expectedPlainHash: number;
}
