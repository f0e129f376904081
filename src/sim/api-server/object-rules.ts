import { badRequest, conflict, invalid, modified } from "./api-error.js";
import { isObject, jsonEquals, type JsonObject, omit, pick, type StoredMeta, type StoredObject } from "./json.js";
import { checkPodUpdate } from "./pod-rules.js";
import type { ServedKind } from "./served-kinds.js";

/** What the rules need beside the objects. */
export interface RuleFacts {
  readonly kind: ServedKind;
  readonly nowMs: number;
}

export interface CreateFacts extends RuleFacts {
  readonly namespace: string | undefined;
  readonly uid: string;
  /** Appended to `generateName`. */
  readonly suffix: string;
}

/** The state in which a new object is stored. @throws {ApiError} 400 for a wrong namespace or kind, 422 without a name */
export function newObject(body: unknown, facts: CreateFacts): StoredObject {
  const { kind, namespace, uid, suffix, nowMs } = facts;
  const { whole, meta } = checkedBody(body, facts);
  const metadata = {
    ...meta,
    name: nameOf(meta, facts, suffix),
    ...(namespace === undefined ? {} : { namespace }),
    uid,
    creationTimestamp: toTime(nowMs),
    ...(kind.hasGeneration ? { generation: 1 } : {}),
    resourceVersion: "",
  } as StoredMeta;
  const content = kind.hasStatus ? { ...omit(whole, ["status"]), ...firstStatus(kind) } : whole;
  return { ...content, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
}

/** Which way a write goes. */
export interface WriteTarget {
  readonly kind: ServedKind;
  readonly subresource: string | undefined;
  readonly verb: "replace" | "patch";
}

/**
 * The state after a write that wants `body`. @returns `current` itself if nothing changes
 * @throws {ApiError} 409 for an old resourceVersion or another uid, 422 for what cannot be changed
 */
export function changedObject(current: StoredObject, body: JsonObject, target: WriteTarget): StoredObject {
  const { kind, subresource } = target;
  const meta = isObject(body["metadata"]) ? body["metadata"] : {};
  checkIdentity(current, meta, target);
  const next = subresource === "status" ? withStatusOf(current, body, kind) : withSpecOf(current, { ...body, metadata: meta }, kind);
  if (jsonEquals(current, next)) return current;
  if (kind.plural === "pods" && kind.group === "") checkPodUpdate(current, next, kind);
  return next;
}

export function apiVersionOf(kind: ServedKind): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** RFC 3339 in whole seconds, as metav1.Time. */
export function toTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function checkedBody(body: unknown, { kind, namespace }: CreateFacts): { readonly whole: JsonObject; readonly meta: JsonObject } {
  if (!isObject(body) || !isObject(body["metadata"])) throw badRequest("the object provided has no metadata");
  const meta = body["metadata"];
  if ((body["kind"] ?? kind.kind) !== kind.kind) throw badRequest(`the object provided is no ${kind.kind}`);
  if ((meta["namespace"] ?? namespace) !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return { whole: body, meta };
}

function nameOf(meta: JsonObject, { kind }: CreateFacts, suffix: string): string {
  const { name, generateName } = meta;
  if (typeof name === "string" && name !== "") return name;
  if (typeof generateName === "string" && generateName !== "") return `${generateName}${suffix}`;
  throw invalid({ ...kind, name: "" }, "metadata.name", "Required value: name or generateName is required");
}

function checkIdentity(current: StoredObject, meta: JsonObject, { kind, verb }: WriteTarget): void {
  const { name, uid, resourceVersion } = current.metadata;
  if ((meta["resourceVersion"] ?? resourceVersion) !== resourceVersion) throw modified({ ...kind, name });
  if ((meta["uid"] ?? uid) !== uid && verb === "patch")
    throw invalid({ ...kind, name }, "metadata.uid", "Invalid value: field is immutable");
  if ((meta["uid"] ?? uid) !== uid) {
    throw conflict(
      { ...kind, name },
      `Precondition failed: UID in precondition: ${JSON.stringify(meta["uid"])}, UID in object meta: ${uid}`,
    );
  }
}

/** A status write touches the status only, but for labels and annotations of pods. */
function withStatusOf(current: StoredObject, body: JsonObject, kind: ServedKind): StoredObject {
  const meta = isObject(body["metadata"]) && kind.plural === "pods" ? pick(body["metadata"], ["labels", "annotations"]) : {};
  return { ...omit(current, ["status"]), ...pick(body, ["status"]), metadata: { ...current.metadata, ...meta } };
}

/** Any other write touches everything but the status and what of metadata no client can change. */
function withSpecOf(current: StoredObject, body: JsonObject & { readonly metadata: JsonObject }, kind: ServedKind): StoredObject {
  const next = kind.hasStatus ? { ...omit(body, ["status"]), ...pick(current, ["status"]) } : body;
  const old = current.metadata as unknown as JsonObject;
  const generation = kind.hasGeneration ? { generation: generationAfter(current, next) } : {};
  const metadata = { ...omit(body.metadata, FIXED_META), ...pick(old, FIXED_META), ...generation } as unknown as StoredMeta;
  return { ...next, metadata };
}

const FIXED_META = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];

function generationAfter(current: StoredObject, next: JsonObject): number {
  const generation = current.metadata.generation ?? 1;
  const notSpec = ["metadata", "status", "apiVersion", "kind"];
  return jsonEquals(omit(current, notSpec), omit(next, notSpec)) ? generation : generation + 1;
}

function firstStatus(kind: ServedKind): JsonObject {
  return kind.plural === "pods" ? { status: { phase: "Pending", qosClass: "BestEffort" } } : {};
}
