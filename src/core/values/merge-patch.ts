import { equalJson } from "./json-diff.js";
import { isJsonObject } from "./json-object.js";

/**
 * The JSON merge patch (RFC 7386) that turns `before` into `after`; `{}` when nothing differs.
 *
 * A member of `after` that is null cannot be told from an absent one: the patch removes it. Arrays are replaced whole.
 */
export function createMergePatch(before: unknown, after: unknown): unknown {
  if (!isJsonObject(after)) return after;
  const base = isJsonObject(before) ? before : {};
  const removed = Object.keys(base).filter((key) => after[key] === undefined || !Object.hasOwn(after, key));
  const changed = Object.entries(after).filter(
    ([key, value]) => value !== undefined && !(Object.hasOwn(base, key) && equalJson(base[key], value)),
  );
  return Object.fromEntries([
    ...removed.map((key) => [key, null] as const),
    ...changed.map(([key, value]) => [key, createMergePatch(Object.hasOwn(base, key) ? base[key] : undefined, value)] as const),
  ]);
}
