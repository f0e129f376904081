import { badRequest, conflict, modified } from "./api-error.js";
import { invalidObject, invalidValue } from "./field-problem.js";
import type { JsonObject, StoredObject } from "./json.js";
import { apiVersionOf, type ServedKind } from "./served-kinds.js";

export type WriteVerb = "create" | "replace" | "patch";

const TYPE_FIELDS = ["apiVersion", "kind"] as const;
/** Groups whose objects etcd holds under the resource's name alone. */
const BARE_KEYS: ReadonlySet<string> = new Set(["", "apps", "coordination.k8s.io"]);

/** An object must be of the kind that its address says. @throws {ApiError} 400, or 422 once a custom resource has been read */
export function checkType(
  body: JsonObject,
  meta: JsonObject,
  { kind, verb }: { readonly kind: ServedKind; readonly verb: WriteVerb },
): void {
  const want = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const found = { apiVersion: textOf(body["apiVersion"], want.apiVersion), kind: textOf(body["kind"], want.kind) };
  const wrong = TYPE_FIELDS.filter((field) => found[field] !== want[field]);
  if (wrong.length === 0) return;
  if (wrong.includes("apiVersion") && verb !== "patch") {
    throw badRequest(`the API version in the data (${found.apiVersion}) does not match the expected API version (${want.apiVersion})`);
  }
  if (kind.isBuiltIn) throw badRequest(`the object provided is no ${kind.kind}`);
  const [, group = ""] = /^(.+)\/[^/]+$/.exec(found.apiVersion) ?? [];
  const problems = wrong.map((field) => invalidValue(field, found[field], `must be ${want[field]}`));
  throw invalidObject({ kind: found.kind, group }, textOf(meta["name"], ""), problems);
}

/** @throws {ApiError} 400 if a write wants another name */
export function checkName({ metadata: { name } }: StoredObject, meta: JsonObject): void {
  const asked = textOf(meta["name"], name);
  if (asked !== name) throw badRequest(`the name of the object (${asked}) does not match the name on the URL (${name})`);
}

/** @throws {ApiError} 409 or 422 if a write is about another version or another life of the object */
export function checkIdentity(
  current: StoredObject,
  meta: JsonObject,
  { kind, verb }: { readonly kind: ServedKind; readonly verb: WriteVerb },
): void {
  const { name, uid, resourceVersion } = current.metadata;
  if ((meta["resourceVersion"] ?? resourceVersion) !== resourceVersion) throw modified({ ...kind, name });
  const wanted = textOf(meta["uid"], uid);
  if (wanted === uid) return;
  if (verb === "patch") throw invalidObject(kind, name, [invalidValue("metadata.uid", wanted, "field is immutable")]);
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`;
  const told = `StorageError: invalid object, Code: 4, Key: ${keyInEtcd(current, kind)}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
  throw conflict({ ...kind, name }, told);
}

function keyInEtcd({ metadata: { namespace, name } }: StoredObject, { group, plural }: ServedKind): string {
  const place = BARE_KEYS.has(group) ? plural : `${group}/${plural}`;
  return `/registry/${place}/${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}
