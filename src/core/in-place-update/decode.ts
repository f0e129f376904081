import { isJsonObject, type JsonObject } from "../values/json-object.js";

/** What an annotation holds: nothing, a value, or text that breaks its format (`problem` says where, never quoting values). */
export type Decoded<T> =
  | { readonly type: "absent" }
  | { readonly type: "value"; readonly value: T }
  | { readonly type: "unreadable"; readonly problem: string };

/** Decodes JSON text with a reader that may throw a TypeError. @throws never */
export function decodeJson<T>(text: string | undefined, read: (object: JsonObject) => T): Decoded<T> {
  if (text === undefined || text === "") return { type: "absent" };
  try {
    return { type: "value", value: read(readObject(JSON.parse(text), "the annotation")) };
  } catch (error) {
    // JSON.parse quotes the text, which may hold what a user would rather not see in an event.
    return { type: "unreadable", problem: error instanceof TypeError ? error.message : "the annotation is not JSON" };
  }
}

/** @throws {TypeError} naming the member */
export function readObject(value: unknown, name: string): JsonObject {
  if (!isJsonObject(value)) throw new TypeError(`${name} is not an object`);
  return value;
}

/** @throws {TypeError} naming the member */
export function readText(value: unknown, name: string): string {
  if (typeof value !== "string") throw new TypeError(`${name} is not a string`);
  return value;
}

/** Absent and null read as false, as in Go. @throws {TypeError} naming the member */
export function readFlag(value: unknown, name: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== "boolean") throw new TypeError(`${name} is not a boolean`);
  return value;
}

/** Absent and null read as an empty list. @throws {TypeError} naming the member */
export function readList<T>(value: unknown, name: string, read: (element: unknown, name: string) => T): readonly T[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new TypeError(`${name} is not a list`);
  return value.map((element: unknown) => read(element, name));
}

/** Absent and null read as an empty map. @throws {TypeError} naming the member */
export function readMap<T>(value: unknown, name: string, read: (element: unknown, name: string) => T): Readonly<Record<string, T>> {
  if (value === undefined || value === null) return {};
  const entries = Object.entries(readObject(value, name)).map(([key, element]) => [key, read(element, name)] as const);
  return Object.fromEntries(entries);
}
