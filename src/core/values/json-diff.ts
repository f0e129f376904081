import { isJsonObject, type JsonObject } from "./json-object.js";

/** One step that turns a JSON document into another; `path` holds decoded keys and indices, empty for the whole document. */
export interface DiffOperation {
  readonly op: "add" | "remove" | "replace";
  readonly path: readonly string[];
  readonly value?: unknown;
}

/**
 * The steps that turn `before` into `after`, in an order in which they can be applied one by one.
 *
 * Objects are compared key by key, arrays index by index: a longer one gains or loses its tail, the last element first.
 * A member that is undefined counts as absent, and null that becomes something as an add, as in the library whose decisions OpenKruise follows.
 * Source: spec/in-place-update.md 1.6.
 */
export function diffJson(before: unknown, after: unknown): readonly DiffOperation[] {
  const operations: DiffOperation[] = [];
  collect({ before, after, path: [] }, operations);
  return operations;
}

/** Whether two JSON values are the same; key order does not count. */
export function equalJson(a: unknown, b: unknown): boolean {
  return diffJson(a, b).length === 0;
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: readonly string[];
}

function collect({ before, after, path }: Pair, operations: DiffOperation[]): void {
  if (before === after) return;
  if (isJsonObject(before) && isJsonObject(after)) collectMembers({ before, after, path }, operations);
  else if (Array.isArray(before) && Array.isArray(after)) collectElements({ before, after, path }, operations);
  else operations.push({ op: before === null ? "add" : "replace", path, value: after });
}

function collectMembers({ before, after, path }: Pair & { before: JsonObject; after: JsonObject }, operations: DiffOperation[]): void {
  for (const key of Object.keys(before)) {
    if (!has(before, key)) continue;
    if (!has(after, key)) operations.push({ op: "remove", path: [...path, key] });
    else collect({ before: before[key], after: after[key], path: [...path, key] }, operations);
  }
  for (const key of Object.keys(after)) {
    if (has(after, key) && !has(before, key)) operations.push({ op: "add", path: [...path, key], value: after[key] });
  }
}

function collectElements(
  { before, after, path }: Pair & { before: readonly unknown[]; after: readonly unknown[] },
  operations: DiffOperation[],
): void {
  const shared = Math.min(before.length, after.length);
  for (let i = 0; i < shared; i++) collect({ before: before[i], after: after[i], path: [...path, String(i)] }, operations);
  for (let i = before.length - 1; i >= shared; i--) operations.push({ op: "remove", path: [...path, String(i)] });
  for (let i = shared; i < after.length; i++) operations.push({ op: "add", path: [...path, String(i)], value: after[i] });
}

function has(object: JsonObject, key: string): boolean {
  return Object.hasOwn(object, key) && object[key] !== undefined;
}
