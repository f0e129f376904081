import type { CloneSet } from "../../../src/api/clone-set.js";
import type { StoredObject } from "../../../src/sim/api-server/json.js";
import { ObjectHistory, podOfSubject, Reads, type Version, writesOf } from "./history.js";
import type { Entry } from "../journal.js";

/** What each life of a controller knows: what its caches have read, and what its own requests came to. */
export class Knowledge {
  readonly #pods = new ObjectHistory("pods");
  readonly #sets = new ObjectHistory("clonesets");
  readonly #podReads = new Reads("pods");
  readonly #setReads = new Reads("clonesets");
  /** Of pods, by the life and the pod's name. */
  readonly #answers = new Map<string, Map<string, Version>>();

  add(entry: Entry, entries: readonly Entry[], index: number): void {
    this.#pods.add(entry);
    this.#sets.add(entry);
    this.#podReads.add(entry);
    this.#setReads.add(entry);
    if (entry.type !== "step" || entry.phase !== "applied") return;
    const answers = this.#answers.get(entry.actor) ?? new Map<string, Version>();
    this.#answers.set(entry.actor, answers);
    const names = writesOf(entries, index).flatMap(({ plural, object }) => (plural === "pods" ? [object.metadata.name] : []));
    if (entry.step === "get") names.push(podOfSubject(entry.subject) ?? "");
    for (const name of names) {
      const version = this.#pods.versions(name).at(-1);
      if (version !== undefined) answers.set(name, version);
    }
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
      const answer = this.#answers.get(actor)?.get(name);
      return (answer !== undefined && answer.revision > (read?.revision ?? 0) ? answer : read)?.object ?? [];
    });
  }
}
