import type { KubeObject } from "../api/meta.js";
import { keyOf } from "./keys.js";
import { compareResourceVersions, newerResourceVersion } from "./resource-version.js";
import type { Indexer, ObjectKey, StoreChange, StoreReader } from "./store.js";
import { StoreIndex } from "./store-index.js";

/**
 * A kind's cache. Each method that changes it says what changed; the caller tells the handlers.
 *
 * Read-your-writes: of two states of an object the newer one (by resourceVersion) wins, whichever way it came. An object that is not here
 * although the watch has passed its resourceVersion was deleted (or left the selector), so nothing older brings it back.
 */
export class ObjectStore<T extends KubeObject> implements StoreReader<T> {
  readonly #objects = new Map<ObjectKey, T>();
  readonly #index: StoreIndex<T>;
  /** Objects (uid) that the server has said to be gone before list or watch told so. */
  readonly #gone = new Set<string>();
  /** Up to here, list and watch have told everything. */
  #seen = "";
  #hasSynced = false;

  constructor(indexers: Readonly<Record<string, Indexer<T>>> = {}) {
    this.#index = new StoreIndex(indexers);
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  byIndex(index: string, value: string): readonly T[] {
    const found: T[] = [];
    for (const key of this.#index.keys(index, value)) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** The resourceVersion up to which list and watch have told everything; empty before the first list. */
  seenResourceVersion(): string {
    return this.#seen;
  }

  /** An ADDED or MODIFIED event of the watch. */
  applyEvent(object: T): readonly StoreChange<T>[] {
    const changes = this.applyWrite(object);
    this.advance(object.metadata.resourceVersion ?? "");
    return changes;
  }

  /** A DELETED event of the watch. */
  applyDeletion(object: T): readonly StoreChange<T>[] {
    const current = this.#objects.get(keyOf(object));
    this.advance(object.metadata.resourceVersion ?? "");
    this.#gone.delete(object.metadata.uid ?? "");
    const isSame = current !== undefined && current.metadata.uid === object.metadata.uid;
    if (!isSame || isNewer(current, object)) return [];
    return [this.#delete(keyOf(object), current)];
  }

  /** A bookmark, or the end of any other event. */
  advance(resourceVersion: string): void {
    this.#seen = newerResourceVersion(this.#seen, resourceVersion);
  }

  /** The answer to a write of ours that there is no such object: not what the watch still has to tell of this very one brings it back. */
  applyMissing(object: T): readonly StoreChange<T>[] {
    const key = keyOf(object);
    const current = this.#objects.get(key);
    if (current === undefined || current.metadata.uid !== object.metadata.uid) return [];
    this.#gone.add(current.metadata.uid ?? "");
    return [this.#delete(key, current)];
  }

  /** The answer of a write of ours. */
  applyWrite(object: T): readonly StoreChange<T>[] {
    if (this.#gone.has(object.metadata.uid ?? "")) return [];
    const current = this.#objects.get(keyOf(object));
    const isNews =
      current === undefined ? compareResourceVersions(object.metadata.resourceVersion, this.#seen) > 0 : isNewer(object, current);
    return isNews ? this.#put(object, current) : [];
  }

  /** A complete list. One that is older than what was seen must be given to `reset`, if it is to be believed at all. */
  applyList(objects: readonly T[], resourceVersion: string): readonly StoreChange<T>[] {
    const changes: StoreChange<T>[] = [];
    const listed = new Set<ObjectKey>();
    this.#forgetGone(objects);
    for (const object of objects) {
      if (this.#gone.has(object.metadata.uid ?? "")) continue;
      const key = keyOf(object);
      listed.add(key);
      const current = this.#objects.get(key);
      if (current === undefined || isNewer(object, current)) changes.push(...this.#put(object, current));
    }
    for (const [key, current] of this.#objects) {
      const isAfterList = compareResourceVersions(current.metadata.resourceVersion, resourceVersion) > 0; // a write of ours
      if (!listed.has(key) && !isAfterList) changes.push(this.#delete(key, current));
    }
    this.advance(resourceVersion);
    this.#hasSynced = true;
    return changes;
  }

  /** Believes a list although it is older than what was seen: the server's own data went back, as after a restore from a backup. */
  reset(objects: readonly T[], resourceVersion: string): readonly StoreChange<T>[] {
    const changes = [...this.#objects].map(([key, current]) => this.#delete(key, current));
    this.#gone.clear();
    this.#seen = "";
    return [...changes, ...this.applyList(objects, resourceVersion)];
  }

  /** A list without them ends their story; one that still has them is older than the answer that we got. */
  #forgetGone(listed: readonly T[]): void {
    const uids = new Set(listed.map(({ metadata }) => metadata.uid));
    for (const uid of this.#gone) if (!uids.has(uid)) this.#gone.delete(uid);
  }

  #put(object: T, current: T | undefined): readonly StoreChange<T>[] {
    const key = keyOf(object);
    this.#objects.set(key, object);
    this.#index.replace(key, current, object);
    if (current === undefined) return [{ key, after: object }];
    if (current.metadata.uid === object.metadata.uid) return [{ key, before: current, after: object }];
    return [
      { key, before: current },
      { key, after: object },
    ];
  }

  #delete(key: ObjectKey, current: T): StoreChange<T> {
    this.#objects.delete(key);
    this.#index.replace(key, current, undefined);
    return { key, before: current };
  }
}

function isNewer(a: KubeObject, b: KubeObject): boolean {
  return compareResourceVersions(a.metadata.resourceVersion, b.metadata.resourceVersion) > 0;
}
