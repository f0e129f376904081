import { History } from "./history.js";
import type { StoredObject } from "./json.js";
import type { ServedKind } from "./served-kinds.js";
import { type Interest, Listeners } from "./listeners.js";

/** One change of one object; `before` is its state until then. */
export interface ChangeRecord {
  readonly revision: number;
  readonly kind: ServedKind;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: StoredObject;
  readonly before?: StoredObject;
  /** The object as JSON, made once for all who are told. */
  readonly text: string;
}

/** Real clusters do not start at 1 either; a client that takes resourceVersions for small numbers should fail here. */
const FIRST_REVISION = 999_990;
const HISTORY_BYTES = 32 * 1024 * 1024;

interface Table {
  readonly objects: Map<string, StoredObject>;
  /** Made when asked for; undefined since a key came or went. */
  sortedKeys: readonly string[] | undefined;
}

/** What etcd is to the API server: objects, one counter of revisions over all of them, and the history since the last compaction. */
export class Database {
  readonly #tables = new Map<string, Table>();
  readonly #listeners = new Listeners();
  readonly #history: History;
  #revision = FIRST_REVISION;

  /** @param historyBytes how much JSON of changes is kept; watches from before what is dropped get 410 */
  constructor(historyBytes = HISTORY_BYTES) {
    this.#history = new History(FIRST_REVISION, historyBytes);
  }

  revision(): number {
    return this.#revision;
  }

  get(kind: ServedKind, key: string): StoredObject | undefined {
    return this.#table(kind).objects.get(key);
  }

  /** All objects of a kind, sorted by key as etcd does. */
  all(kind: ServedKind): readonly StoredObject[] {
    const table = this.#table(kind);
    table.sortedKeys ??= [...table.objects.keys()].sort((a, b) => (a < b ? -1 : 1));
    return table.sortedKeys.flatMap((key) => table.objects.get(key) ?? []);
  }

  /** Stores a state under the next revision, which becomes its resourceVersion. */
  put(kind: ServedKind, key: string, object: StoredObject): StoredObject {
    const table = this.#table(kind);
    const before = table.objects.get(key);
    const stored = this.#stamp(object);
    table.objects.set(key, stored);
    if (before === undefined) table.sortedKeys = undefined;
    this.#append({ kind, type: before === undefined ? "ADDED" : "MODIFIED", object: stored, ...optional(before) });
    return stored;
  }

  /** Removes an object. @returns its last state, with the revision of its removal */
  remove(kind: ServedKind, key: string, last: StoredObject): StoredObject | undefined {
    const table = this.#table(kind);
    const before = table.objects.get(key);
    if (before === undefined) return undefined;
    const removed = this.#stamp(last);
    table.objects.delete(key);
    table.sortedKeys = undefined;
    this.#append({ kind, type: "DELETED", object: removed, before });
    return removed;
  }

  /** The changes after a revision, or undefined if they are compacted away. */
  changesAfter(revision: number): readonly ChangeRecord[] | undefined {
    return this.#history.after(revision);
  }

  /** Forgets all history. */
  compact(): void {
    this.#history.forget(this.#revision);
  }

  /** Tells of every change. @returns the function that ends the subscription */
  subscribe(listener: (record: ChangeRecord) => void): () => void {
    return this.#listeners.add(undefined, listener);
  }

  /** Tells of the changes that somebody may want; at no cost for all others. @returns the function that ends it */
  watch(interest: Interest, listener: (record: ChangeRecord) => void): () => void {
    return this.#listeners.add(interest, listener);
  }

  #stamp(object: StoredObject): StoredObject {
    this.#revision++;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
  }

  #append(change: Omit<ChangeRecord, "revision" | "text">): void {
    const record = { revision: this.#revision, ...change, text: JSON.stringify(change.object) };
    this.#history.add(record);
    this.#listeners.tell(record);
  }

  #table(kind: ServedKind): Table {
    const name = `${kind.group}/${kind.plural}`;
    const table = this.#tables.get(name) ?? { objects: new Map<string, StoredObject>(), sortedKeys: undefined };
    this.#tables.set(name, table);
    return table;
  }
}

function optional(before: StoredObject | undefined): { before?: StoredObject } {
  return before === undefined ? {} : { before };
}
