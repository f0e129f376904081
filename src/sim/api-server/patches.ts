import { ApiError, badRequest } from "./api-error.js";
import { isObject, jsonEquals, type JsonObject } from "./json.js";
import type { ServedKind } from "./served-kinds.js";
import { strategicMerge } from "./strategic-merge.js";

const JSON_PATCH = "application/json-patch+json";
const MERGE_PATCH = "application/merge-patch+json";
const APPLY_PATCH = "application/apply-patch+yaml";
const STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json";

/** The types of patch that a kind takes; the real server does not know the lists of custom resources well enough for strategic ones. */
function patchTypes({ isBuiltIn }: Pick<ServedKind, "isBuiltIn">): readonly string[] {
  return isBuiltIn ? [JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH] : [JSON_PATCH, MERGE_PATCH];
}

/**
 * The type of a PATCH.
 * @throws {ApiError} 415, naming those that work, for any other; the model knows no server-side apply: whoever owns which field is not modelled
 */
export function patchTypeOf(contentType: string, kind: Pick<ServedKind, "isBuiltIn">): string {
  const type = contentType.split(";")[0]?.trim() ?? "";
  const accepted = patchTypes(kind);
  if (accepted.includes(type)) return type;
  if (![STRATEGIC_MERGE_PATCH, APPLY_PATCH].includes(type)) {
    throw new ApiError({ code: 415, reason: "UnsupportedMediaType", message: "415: Unsupported Media Type", details: {} });
  }
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  throw new ApiError({ code: 415, reason: "UnsupportedMediaType", message });
}

/** Applies a patch of a type to an object. @throws {ApiError} 422 for a JSON patch that does not fit */
export function applyPatch(target: JsonObject, type: string, patch: unknown): JsonObject {
  if (type === JSON_PATCH) return jsonPatch(target, patch);
  return (type === MERGE_PATCH ? mergePatch(target, patch) : strategicMerge(target, patch)) as JsonObject;
}

/** RFC 7396. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

interface PatchOperation {
  readonly op?: string | undefined;
  readonly path?: string;
  readonly value?: unknown;
}

/** RFC 6902 without move and copy. */
function jsonPatch(target: JsonObject, patch: unknown): JsonObject {
  if (!Array.isArray(patch)) throw badRequest("cannot unmarshal the body into a JSON patch");
  const root = { whole: structuredClone(target) as unknown };
  for (const operation of patch as readonly PatchOperation[]) applyOperation(root, operation);
  return root.whole as JsonObject;
}

function applyOperation(root: JsonObject, { op, path = "", value }: PatchOperation): void {
  const parts = `/whole${path}`
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = parts.pop() ?? "";
  const holder = parts.reduce<unknown>((at, part) => (at as JsonObject | undefined)?.[part], root) as Record<string, unknown> | undefined;
  if (typeof holder !== "object" || !fits(holder, last, { op, value })) throw misfit();
  if (op === "add") add(holder, last, value);
  if (op === "replace") holder[last] = value;
  if (op === "remove") remove(holder, last);
}

function fits(holder: Record<string, unknown>, name: string, { op, value }: PatchOperation): boolean {
  if (op === "test") return jsonEquals(holder[name], value);
  return op === "add" || ((op === "replace" || op === "remove") && name in holder);
}

function add(holder: Record<string, unknown>, name: string, value: unknown): void {
  if (Array.isArray(holder)) holder.splice(name === "-" ? holder.length : Number(name), 0, value);
  else holder[name] = value;
}

function remove(holder: Record<string, unknown>, name: string): void {
  if (Array.isArray(holder)) holder.splice(Number(name), 1);
  else delete holder[name];
}

function misfit(): ApiError {
  return new ApiError({
    code: 422,
    reason: "Invalid",
    message: "the server rejected our request due to an error in our request",
    details: {},
  });
}
