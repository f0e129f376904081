import type { Entry } from "../journal.js";
import type { StoredObject } from "../../../src/sim/api-server/json.js";

export type ObjectEntry = Extract<Entry, { readonly type: "object" }>;
export type StepEntry = Extract<Entry, { readonly type: "step" }>;

/** One state of an object, from one change to the next. */
export interface Version {
  readonly atMs: number;
  readonly revision: number;
  /** Absent once it is deleted. */
  readonly object: StoredObject | undefined;
}

/** All versions of the objects of one kind, oldest first, as far as a journal was read. */
export class ObjectHistory {
  readonly #plural: string;
  readonly #keyOf: (object: StoredObject) => string;
  readonly #versions = new Map<string, Version[]>();

  constructor(plural: string, keyOf: (object: StoredObject) => string = ({ metadata }) => metadata.name) {
    this.#plural = plural;
    this.#keyOf = keyOf;
  }

  add(entry: Entry): void {
    if (entry.type !== "object" || entry.plural !== this.#plural) return;
    const { atMs, revision, change, object } = entry;
    const key = this.#keyOf(object);
    const version = { atMs, revision, object: change === "DELETED" ? undefined : object };
    const versions = this.#versions.get(key);
    if (versions === undefined) this.#versions.set(key, [version]);
    else versions.push(version);
  }

  keys(): Iterable<string> {
    return this.#versions.keys();
  }

  versions(key: string): readonly Version[] {
    return this.#versions.get(key) ?? [];
  }

  /** The state that somebody knows who has read up to a revision. */
  asOfRevision(key: string, revision: number): Version | undefined {
    return this.versions(key).findLast((version) => version.revision <= revision);
  }

  /** The state that somebody knew who had read up to a revision, and every later one. */
  sinceRevision(key: string, revision: number): readonly Version[] {
    const versions = this.versions(key);
    return versions.slice(
      Math.max(
        0,
        versions.findLastIndex((version) => version.revision <= revision),
      ),
    );
  }

  /** The state at a moment, and every later one. */
  sinceTime(key: string, atMs: number): readonly Version[] {
    const versions = this.versions(key);
    return versions.slice(
      Math.max(
        0,
        versions.findLastIndex((version) => version.atMs <= atMs),
      ),
    );
  }
}

/** How far each life had read one kind, at any moment. */
export class Reads {
  readonly #plural: string;
  readonly #reads = new Map<string, { readonly atMs: number; readonly revision: number }[]>();

  constructor(plural: string) {
    this.#plural = plural;
  }

  add(entry: Entry): void {
    if (entry.type !== "delivered" || entry.plural !== this.#plural) return;
    const reads = this.#reads.get(entry.actor) ?? [];
    reads.push({ atMs: entry.atMs, revision: Math.max(entry.revision, reads.at(-1)?.revision ?? 0) });
    this.#reads.set(entry.actor, reads);
  }

  /** What a life knew at a moment, and what it has learned since. */
  since(actor: string, atMs: number): readonly number[] {
    const reads = this.#reads.get(actor) ?? [];
    return reads
      .slice(
        Math.max(
          0,
          reads.findLastIndex((read) => read.atMs <= atMs),
        ),
      )
      .map(({ revision }) => revision);
  }

  /** The newest revision that a life had read by then; if none, the first that it read at all. */
  by(actor: string, atMs: number): number | undefined {
    const reads = this.#reads.get(actor);
    return (reads?.findLast((read) => read.atMs <= atMs) ?? reads?.[0])?.revision;
  }
}

/** The changes that the request of a step just `applied` has made: they stand right before it. */
export function writesOf(entries: readonly Entry[], index: number): readonly ObjectEntry[] {
  const step = entries[index];
  const writes: ObjectEntry[] = [];
  for (let before = index - 1; before >= 0; before--) {
    const entry = entries[before];
    if (entry?.type !== "object" || entry.atMs !== step?.atMs) break;
    writes.unshift(entry);
  }
  return writes;
}

export function uidOf({ metadata }: StoredObject): string {
  return metadata.uid;
}

/** Such as `agent-node-1` for `agent-node-1#2`. */
export function processOf(actor: string): string {
  return actor.slice(0, actor.lastIndexOf("#"));
}

/** The node of an agent's life; undefined for others. */
export function nodeOf(actor: string): string | undefined {
  return actor.startsWith("agent-") ? processOf(actor).slice("agent-".length) : undefined;
}

/** The name of the pod that a request is about. */
export function podOfSubject(subject: string): string | undefined {
  return /\/pods\/([^/?]+)/.exec(subject)?.[1];
}
