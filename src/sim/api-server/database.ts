import type { StoredObject } from "./json.js";
import type { ServedKind } from "./served-kinds.js";

/** One change of one object; `before` is its state until then. */
export interface ChangeRecord {
  readonly revision: number;
  readonly kind: ServedKind;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: StoredObject;
  readonly before?: StoredObject;
}

/** Real clusters do not start at 1 either; a client that takes resourceVersions for small numbers should fail here. */
const FIRST_REVISION = 999_990;

/** What etcd is to the API server: objects, one counter of revisions over all of them, and the history since the last compaction. */
export class Database {
  readonly #objects = new Map<string, Map<string, StoredObject>>();
  readonly #listeners = new Set<(record: ChangeRecord) => void>();
  #history: ChangeRecord[] = [];
  #revision = FIRST_REVISION;
  #compactedRevision = FIRST_REVISION;

  revision(): number {
    return this.#revision;
  }

  get(kind: ServedKind, key: string): StoredObject | undefined {
    return this.#table(kind).get(key);
  }

  /** All objects of a kind, sorted by key as etcd does. */
  all(kind: ServedKind): readonly StoredObject[] {
    return [...this.#table(kind)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** Stores a state under the next revision, which becomes its resourceVersion. */
  put(kind: ServedKind, key: string, object: StoredObject): StoredObject {
    const before = this.#table(kind).get(key);
    const stored = this.#stamp(object);
    this.#table(kind).set(key, stored);
    this.#append({
      revision: this.#revision,
      kind,
      type: before === undefined ? "ADDED" : "MODIFIED",
      object: stored,
      ...optional(before),
    });
    return stored;
  }

  /** Removes an object. @returns its last state, with the revision of its removal */
  remove(kind: ServedKind, key: string, last: StoredObject): StoredObject | undefined {
    const before = this.#table(kind).get(key);
    if (before === undefined) return undefined;
    const removed = this.#stamp(last);
    this.#table(kind).delete(key);
    this.#append({ revision: this.#revision, kind, type: "DELETED", object: removed, before });
    return removed;
  }

  /** The changes after a revision, or undefined if they are compacted away. */
  changesAfter(revision: number): readonly ChangeRecord[] | undefined {
    if (revision < this.#compactedRevision) return undefined;
    return this.#history.filter((record) => record.revision > revision);
  }

  /** Forgets all history. */
  compact(): void {
    this.#history = [];
    this.#compactedRevision = this.#revision;
  }

  /** @returns the function that ends the subscription */
  subscribe(listener: (record: ChangeRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #stamp(object: StoredObject): StoredObject {
    this.#revision++;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
  }

  #append(record: ChangeRecord): void {
    this.#history.push(record);
    for (const listener of [...this.#listeners]) listener(record);
  }

  #table(kind: ServedKind): Map<string, StoredObject> {
    const name = `${kind.group}/${kind.plural}`;
    const table = this.#objects.get(name) ?? new Map<string, StoredObject>();
    this.#objects.set(name, table);
    return table;
  }
}

function optional(before: StoredObject | undefined): { before?: StoredObject } {
  return before === undefined ? {} : { before };
}
