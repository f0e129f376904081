import type { KubeObject } from "../api/meta.js";

/** "namespace/name", or "name" for cluster-scoped objects. */
export type ObjectKey = string;

/** What happened to one object in the cache. `before` is absent when added, `after` when deleted. */
export interface StoreChange<T extends KubeObject> {
  readonly key: ObjectKey;
  readonly before?: T;
  readonly after?: T;
}

/** Reads of a kind's cache. Objects are shared and must not be changed. */
export interface StoreReader<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  list(): readonly T[];
  /** Objects that the named indexer gave this value. */
  byIndex(index: string, value: string): readonly T[];
  /** True after the first complete list. */
  hasSynced(): boolean;
}

/** Gives the values under which an object is found by `byIndex`. */
export type Indexer<T extends KubeObject> = (object: T) => readonly string[];
