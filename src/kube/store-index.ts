import type { KubeObject } from "../api/meta.js";
import type { Indexer, ObjectKey } from "./store.js";

/** Which keys have which value under each indexer. */
export class StoreIndex<T extends KubeObject> {
  readonly #indexers: ReadonlyMap<string, Indexer<T>>;
  readonly #keys = new Map<string, Map<string, Set<ObjectKey>>>();

  constructor(indexers: Readonly<Record<string, Indexer<T>>>) {
    this.#indexers = new Map(Object.entries(indexers));
    for (const name of this.#indexers.keys()) this.#keys.set(name, new Map());
  }

  /** @throws {TypeError} for an index that nobody declared */
  keys(index: string, value: string): readonly ObjectKey[] {
    const byValue = this.#keys.get(index);
    if (byValue === undefined) throw new TypeError(`Cannot read index "${index}": it was not declared`);
    return [...(byValue.get(value) ?? [])];
  }

  /** Moves a key from the values of its old state to those of its new one. */
  replace(key: ObjectKey, before: T | undefined, after: T | undefined): void {
    for (const [name, indexer] of this.#indexers) {
      const byValue = this.#keys.get(name) ?? new Map<string, Set<ObjectKey>>();
      if (before !== undefined) for (const value of indexer(before)) removeFrom(byValue, value, key);
      if (after !== undefined) for (const value of indexer(after)) addTo(byValue, value, key);
    }
  }
}

function addTo(byValue: Map<string, Set<ObjectKey>>, value: string, key: ObjectKey): void {
  const keys = byValue.get(value);
  if (keys === undefined) byValue.set(value, new Set([key]));
  else keys.add(key);
}

function removeFrom(byValue: Map<string, Set<ObjectKey>>, value: string, key: ObjectKey): void {
  const keys = byValue.get(value);
  keys?.delete(key);
  if (keys?.size === 0) byValue.delete(value);
}
