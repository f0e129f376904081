import { conflict } from "./api-error.js";
import { isObject, type StoredObject, valueAt } from "./json.js";
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

/** What a DELETE does to an object. @throws {ApiError} 409 when a precondition does not hold */
export function decideDeletion(current: StoredObject, wish: DeletionWish, facts: RuleFacts): Deletion {
  const { kind, nowMs } = facts;
  checkPreconditions(current, wish, facts);
  const graceSeconds = graceOf(current, wish, facts);
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds } = current.metadata;
  if (graceSeconds === 0 && finalizers.length === 0)
    return { type: "remove", object: kind.plural === "pods" ? marked(current, 0, nowMs) : current };
  const isShorter = graceSeconds < (deletionGracePeriodSeconds ?? Number.POSITIVE_INFINITY);
  if (deletionTimestamp !== undefined && !isShorter) return { type: "keep" };
  return { type: "mark", object: marked(current, graceSeconds, nowMs) };
}

/** True if nothing holds an object any more that is being deleted. */
export function isReleased(object: StoredObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
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

function checkPreconditions(current: StoredObject, { uid, resourceVersion }: DeletionWish, { kind }: RuleFacts): void {
  const { metadata } = current;
  const named = { ...kind, name: metadata.name };
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(named, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      named,
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`,
    );
  }
}

/** Only pods that a kubelet runs are given time. */
function graceOf(current: StoredObject, wish: DeletionWish, { kind }: RuleFacts): number {
  const phase = valueAt(current, "status.phase");
  const hasEnded = phase === "Succeeded" || phase === "Failed";
  if (kind.plural !== "pods" || kind.group !== "" || valueAt(current, "spec.nodeName") === undefined || hasEnded) return 0;
  return wish.gracePeriodSeconds ?? (valueAt(current, "spec.terminationGracePeriodSeconds") as number | undefined) ?? DEFAULT_GRACE_SECONDS;
}

/** The object with the marks of a deletion that something holds up. */
export function markedForDeletion(object: StoredObject, nowMs: number): StoredObject {
  const { deletionTimestamp = toTime(nowMs) } = object.metadata;
  return { ...object, metadata: { ...object.metadata, deletionTimestamp } };
}

function marked(current: StoredObject, graceSeconds: number, nowMs: number): StoredObject {
  const { generation } = current.metadata;
  const deletionTimestamp = toTime(nowMs + graceSeconds * 1000);
  const counted = generation === undefined ? {} : { generation: generation + 1 };
  return { ...current, metadata: { ...current.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds, ...counted } };
}
