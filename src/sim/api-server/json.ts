/** A JSON object as the model keeps it. Never changed once stored. */
export type JsonObject = { readonly [name: string]: unknown };

/** Metadata of a stored object, as far as the model reads it. */
export interface StoredMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
}

/** An object of the model's database. */
export interface StoredObject {
  readonly [name: string]: unknown;
  readonly metadata: StoredMeta;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Equality of JSON values; the order of members does not count. */
export function jsonEquals(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEquals(item, b[index]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && jsonEquals(a[name], b[name]));
}

/** The value at a dotted path, such as `spec.nodeName`. */
export function valueAt(object: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), object);
}

/** The object without some members. */
export function omit(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** Some members of an object, as far as it has them. */
export function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}

/** The items of a list; none if it is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
