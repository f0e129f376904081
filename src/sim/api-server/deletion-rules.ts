import { conflict } from "./api-error.js";
import { isObject, type StoredMeta, type StoredObject, valueAt } from "./json.js";
import { type RuleFacts, toTime } from "./object-rules.js";

/** The body of a DELETE request, as far as the model reads it. */
export interface DeletionWish {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: string | undefined;
}

/** remove: gone at once, with this last state. mark: kept, with the given state, until its finalizers or its grace are over. keep: it is being deleted already. */
export type Deletion =
  | { readonly type: "remove"; readonly object: StoredObject }
  | { readonly type: "mark"; readonly object: StoredObject }
  | { readonly type: "keep" };

const DEFAULT_GRACE_SECONDS = 30;

/** What a DELETE does to an object. Source: Kubernetes' generic deletion. @throws {ApiError} 409 when a precondition does not hold */
export function decideDeletion(current: StoredObject, wish: DeletionWish, facts: RuleFacts): Deletion {
  checkPreconditions(current, wish, facts);
  const { plural, group } = facts.kind;
  if (plural === "pods" && group === "") return decidePodDeletion(current, wish, facts.nowMs);
  return hasFinalizers(current) ? marking(current, markedForDeletion(current, facts.nowMs)) : { type: "remove", object: current };
}

/** True if nothing holds an object any more that is being deleted. */
export function isReleased(object: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  return deletionTimestamp !== undefined && !hasFinalizers(object) && deletionGracePeriodSeconds === 0;
}

/** The wish in the body of a DELETE request. */
export function parseDeletionWish(body: unknown): DeletionWish {
  if (!isObject(body)) return {};
  return {
    uid: valueAt(body, "preconditions.uid") as string | undefined,
    resourceVersion: valueAt(body, "preconditions.resourceVersion") as string | undefined,
    gracePeriodSeconds: body["gracePeriodSeconds"] as number | undefined,
    propagationPolicy: body["propagationPolicy"] as string | undefined,
  };
}

/** The object with the marks of a deletion that something else than time holds up. */
export function markedForDeletion(object: StoredObject, nowMs: number): StoredObject {
  return object.metadata.deletionTimestamp === undefined ? marked(object, nowMs, 0) : object;
}

function checkPreconditions(current: StoredObject, { uid, resourceVersion }: DeletionWish, { kind }: RuleFacts): void {
  const { metadata } = current;
  // The real server names the kind here, not the resource.
  const named = { plural: kind.kind, group: kind.group, name: metadata.name };
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid})`;
    throw conflict(named, `${why}. The object might have been deleted and then recreated`);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record`;
    throw conflict(named, `${why} (${metadata.resourceVersion}). The object might have been modified`);
  }
}

function decidePodDeletion(pod: StoredObject, wish: DeletionWish, nowMs: number): Deletion {
  if (pod.metadata.deletionTimestamp !== undefined) return shortenDeletion(pod, wish, nowMs);
  const seconds = graceOf(pod, wish);
  const object = marked(pod, nowMs + seconds * 1000, seconds);
  return seconds > 0 || hasFinalizers(pod) ? marking(pod, object) : { type: "remove", object };
}

/** A pod that is being deleted can only be given less time. */
function shortenDeletion(pod: StoredObject, { gracePeriodSeconds }: DeletionWish, nowMs: number): Deletion {
  const { deletionTimestamp = "", deletionGracePeriodSeconds: given = 0 } = pod.metadata;
  if (given === 0) return hasFinalizers(pod) ? { type: "keep" } : { type: "remove", object: pod };
  const wanted = gracePeriodSeconds === undefined ? given : atLeastNow(gracePeriodSeconds);
  if (wanted >= given) return { type: "keep" };
  const endMs = Date.parse(deletionTimestamp) - (given - wanted) * 1000;
  // Its time is over already, but whoever ends it must get to see that it has less.
  const marks = endMs < nowMs ? markUntil(nowMs, Math.min(wanted, 1)) : markUntil(endMs, wanted);
  const object = { ...pod, metadata: { ...pod.metadata, ...marks } };
  return wanted > 0 || hasFinalizers(pod) ? { type: "mark", object } : { type: "remove", object };
}

/** Only pods that a kubelet runs are given time. */
function graceOf(pod: StoredObject, { gracePeriodSeconds }: DeletionWish): number {
  const phase = valueAt(pod, "status.phase");
  if (valueAt(pod, "spec.nodeName") === undefined || phase === "Succeeded" || phase === "Failed") return 0;
  const specified = valueAt(pod, "spec.terminationGracePeriodSeconds") as number | undefined;
  return atLeastNow(gracePeriodSeconds ?? specified ?? DEFAULT_GRACE_SECONDS);
}

/** Less than no time counts as one second. */
function atLeastNow(graceSeconds: number): number {
  return graceSeconds < 0 ? 1 : graceSeconds;
}

function hasFinalizers({ metadata: { finalizers = [] } }: StoredObject): boolean {
  return finalizers.length > 0;
}

function marking(current: StoredObject, object: StoredObject): Deletion {
  return object === current ? { type: "keep" } : { type: "mark", object };
}

function marked(object: StoredObject, endMs: number, graceSeconds: number): StoredObject {
  const { generation } = object.metadata;
  const counted = generation === undefined ? {} : { generation: generation + 1 };
  return { ...object, metadata: { ...object.metadata, ...markUntil(endMs, graceSeconds), ...counted } };
}

function markUntil(endMs: number, graceSeconds: number): Pick<StoredMeta, "deletionTimestamp" | "deletionGracePeriodSeconds"> {
  return { deletionTimestamp: toTime(endMs), deletionGracePeriodSeconds: graceSeconds };
}
