import type { CloneSet } from "../../../src/api/clone-set.js";
import type { StoredObject } from "../../../src/sim/api-server/json.js";
import { type ObjectEntry, ObjectHistory, Reads, writesOf } from "./history.js";
import type { Entry } from "../journal.js";

/** What each life of a controller knows: what it has read, and what its own writes came to. */
export class Knowledge {
  readonly #pods = new ObjectHistory("pods");
  readonly #sets = new ObjectHistory("clonesets");
  readonly #podReads = new Reads("pods");
  readonly #setReads = new Reads("clonesets");
  readonly #ownWrites = new Map<string, Map<string, ObjectEntry>>();

  add(entry: Entry, entries: readonly Entry[], index: number): void {
    this.#pods.add(entry);
    this.#sets.add(entry);
    this.#podReads.add(entry);
    this.#setReads.add(entry);
    if (entry.type !== "step" || entry.phase !== "applied") return;
    const own = this.#ownWrites.get(entry.actor) ?? new Map<string, ObjectEntry>();
    this.#ownWrites.set(entry.actor, own);
    for (const write of writesOf(entries, index)) if (write.plural === "pods") own.set(write.object.metadata.name, write);
  }

  /** The states of all pods that a decision of a life in this time may rest on. */
  podsOf(actor: string, sinceMs: number): readonly (readonly StoredObject[])[] {
    return this.#podReads.since(actor, sinceMs).map((revision) => this.#podsAt(actor, revision));
  }

  /** The versions of all sets that a decision of a life in this time may rest on; undefined: deleted. */
  setsOf(actor: string, sinceMs: number): readonly (CloneSet | undefined)[] {
    const revision = this.#setReads.by(actor, sinceMs) ?? 0;
    const versions = [...this.#sets.keys()].flatMap((name) => this.#sets.sinceRevision(name, revision));
    return versions.map(({ object }) => object as unknown as CloneSet | undefined);
  }

  #podsAt(actor: string, revision: number): readonly StoredObject[] {
    return [...this.#pods.keys()].flatMap((name) => {
      const read = this.#pods.asOfRevision(name, revision);
      const own = this.#ownWrites.get(actor)?.get(name);
      const isOwnNewer = own !== undefined && own.revision > (read?.revision ?? 0);
      if (isOwnNewer) return own.change === "DELETED" ? [] : [own.object];
      return read?.object ?? [];
    });
  }
}
