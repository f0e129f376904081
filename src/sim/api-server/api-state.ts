import type { Resource } from "../../api/meta.js";
import type { CancelTimer, Clock } from "../../lib/clock.js";
import { systemClock } from "../../lib/clock.js";
import { type Random, systemRandom } from "../../lib/random.js";
import { alreadyExists, noSuchResource, notFound } from "./api-error.js";
import { Database } from "./database.js";
import { decideDeletion, type Deletion, type DeletionWish, isReleased, markedForDeletion } from "./deletion-rules.js";
import { invalidObject, invalidValue } from "./field-problem.js";
import { type Dependent, dependentsOf, withoutOwner } from "./garbage-collection.js";
import { isObject, type JsonObject, omit, type StoredMeta, type StoredObject } from "./json.js";
import { isNamespace, isTerminating, namespaceTerminates, newNamespace, terminating } from "./namespaces.js";
import { changedObject, newObject } from "./object-rules.js";
import { applyPatch, patchTypeOf } from "./patches.js";
import type { ServedKind } from "./served-kinds.js";
import { DEFAULT_KINDS } from "./shipped-kinds.js";

export interface ApiStateOptions {
  /** Default: those of an installation, their rules in CEL unchecked. */
  readonly kinds?: readonly ServedKind[];
  readonly clock?: Clock;
  readonly random?: Random;
  /** Plays the kubelet's part in deleting pods: they go this long after the DELETE. Absent: somebody else must end them. */
  readonly podTerminationMs?: number;
}

/** Which object a request is about. */
export interface ObjectAddress {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface PatchBody {
  readonly contentType: string;
  readonly body: unknown;
}

/** What a DELETE left behind. */
export interface DeletedObject {
  readonly object: StoredObject;
  readonly isGone: boolean;
}

/** What stands between a write that keeps the rules and the database. */
export interface WriteGuard {
  /** Nothing is stored; the answer is as if it were. */
  readonly isDryRun: boolean;
  /** @throws {ApiError} if the write is refused; `object` is absent in a deletion, `oldObject` in a creation */
  admit(object: StoredObject | undefined, oldObject: StoredObject | undefined): void;
}

const NO_GUARD: WriteGuard = { isDryRun: false, admit: () => undefined };
const GARBAGE_COLLECTION_MS = 5;
const NAMESPACE_CONTROL_MS = 5;

/** What an API server does with requests once they are read: the rules of objects over a database. Survives restarts of the server. */
export class ApiState {
  readonly database = new Database();
  readonly clock: Clock;
  readonly #random: Random;
  readonly #kinds: Map<string, ServedKind>;
  readonly #options: ApiStateOptions;
  readonly #timers = new Set<CancelTimer>();
  readonly #orphaning = new Set<string>();
  #guard = NO_GUARD;
  readonly #gone = new Set<string>();

  constructor(options: ApiStateOptions = {}) {
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#kinds = new Map((options.kinds ?? DEFAULT_KINDS).map((kind) => [keyOfKind(kind), kind]));
    this.database.subscribe((record) => {
      if (record.type === "DELETED") this.#afterDeletion(record.object);
      if (record.type === "ADDED") this.#afterCreation(record.kind, record.object);
    });
  }

  /** @throws {ApiError} 404 for a kind that is not served */
  kind(resource: Pick<Resource, "group" | "version" | "plural">): ServedKind {
    const kind = this.#kinds.get(keyOfKind(resource));
    if (kind === undefined) throw noSuchResource();
    return kind;
  }

  /** All kinds that are served. */
  kinds(): readonly ServedKind[] {
    return [...this.#kinds.values()];
  }

  /** Starts to serve a kind, as when its CustomResourceDefinition is applied. */
  addKind(kind: ServedKind): void {
    this.#kinds.set(keyOfKind(kind), kind);
  }

  /** Stops to serve a kind; its objects stay in the database. */
  removeKind(resource: Resource): void {
    this.#kinds.delete(keyOfKind(resource));
  }

  /** @throws {ApiError} 404 */
  get(resource: Resource, address: ObjectAddress): StoredObject {
    const kind = this.kind(resource);
    const found = this.database.get(kind, keyOfAddress(address));
    if (found === undefined) throw notFound({ ...kind, name: address.name });
    return found;
  }

  /** The objects of a kind in one namespace, or in all. */
  list(resource: Resource, namespace?: string): readonly StoredObject[] {
    const all = this.database.all(this.kind(resource));
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  /** Does some writes under a guard. */
  guarded<T>(guard: WriteGuard, write: () => T): T {
    this.#guard = guard;
    try {
      return write();
    } finally {
      this.#guard = NO_GUARD;
    }
  }

  /** @throws {ApiError} 409 if the name is taken */
  create(resource: Resource, body: unknown, namespace?: string): StoredObject {
    const kind = this.kind(resource);
    const facts = { kind, namespace, uid: this.#newUid(), nowMs: this.clock.nowMs() };
    const made = newObject(structuredClone(body), { ...facts, suffix: (prefix) => this.#freeSuffix(kind, { namespace, name: prefix }) });
    const object = isNamespace(kind) ? newNamespace(made) : made;
    const { name } = object.metadata;
    this.#guard.admit(object, undefined);
    if (namespace !== undefined && isTerminating(this.#namespace(namespace))) throw namespaceTerminates(kind, name, namespace);
    const key = keyOfAddress({ namespace, name });
    const present = this.database.get(kind, key);
    if (present !== undefined) throw alreadyExists({ ...kind, name }, present.metadata.deletionTimestamp !== undefined);
    return this.#guard.isDryRun ? neverStored(object) : this.database.put(kind, key, object);
  }

  /** PUT of a whole object or of its status. */
  replace(
    resource: Resource,
    address: ObjectAddress,
    { body, subresource }: { body: JsonObject; subresource?: string | undefined },
  ): StoredObject {
    const kind = this.#kindWith(resource, subresource);
    const current = this.get(resource, address);
    const hasVersion = isObject(body["metadata"]) && body["metadata"]["resourceVersion"] !== undefined;
    if (kind.needsVersion && !hasVersion) {
      // The real server names the resource here, not the kind.
      const named = { kind: kind.plural, group: kind.group };
      throw invalidObject(named, address.name, [invalidValue("metadata.resourceVersion", 0, "must be specified for an update")]);
    }
    return this.#store(kind, address, changedObject(current, structuredClone(body), { kind, subresource, verb: "replace" }));
  }

  patch(resource: Resource, address: ObjectAddress, patch: PatchBody & { subresource?: string | undefined }): StoredObject {
    const kind = this.#kindWith(resource, patch.subresource);
    const type = patchTypeOf(patch.contentType, kind);
    const current = this.get(resource, address);
    const body = applyPatch(current, type, structuredClone(patch.body));
    return this.#store(kind, address, changedObject(current, body, { kind, subresource: patch.subresource, verb: "patch" }));
  }

  /** @returns the object as it is now: the same one, marked, or gone (`isGone`) */
  delete(resource: Resource, address: ObjectAddress, wish: DeletionWish = {}): DeletedObject {
    const kind = this.kind(resource);
    const current = this.get(resource, address);
    const decision = decideDeletion(current, wish, { kind, nowMs: this.clock.nowMs() });
    this.#guard.admit(undefined, current);
    if (this.#guard.isDryRun) return { object: decision.type === "keep" ? current : decision.object, isGone: decision.type === "remove" };
    if (isNamespace(kind)) return this.#deleteNamespace(kind, current, decision);
    if (wish.propagationPolicy === "Orphan") this.#orphaning.add(current.metadata.uid);
    switch (decision.type) {
      case "remove":
        return { object: this.#remove(kind, address, decision.object), isGone: true };
      case "keep":
        return { object: current, isGone: false };
      case "mark":
        this.#playKubelet(resource, address, current.metadata.uid);
        return { object: this.database.put(kind, keyOfAddress(address), decision.object), isGone: false };
    }
  }

  /** Drops the timers of deletions that are still under way. */
  close(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #kindWith(resource: Resource, subresource: string | undefined): ServedKind {
    const kind = this.kind(resource);
    if (subresource !== undefined && !(subresource === "status" && kind.hasStatus)) throw noSuchResource();
    return kind;
  }

  #store(kind: ServedKind, address: ObjectAddress, next: StoredObject): StoredObject {
    const key = keyOfAddress(address);
    const current = this.database.get(kind, key);
    this.#guard.admit(next, current);
    if (next === current || this.#guard.isDryRun) return next;
    if (!isReleased(next)) return this.database.put(kind, key, next);
    this.database.remove(kind, key, next);
    return next; // whoever let go of it is told its last version, not that of its removal
  }

  /** Removes an object whose last state is `last`. */
  #remove(kind: ServedKind, address: ObjectAddress, last: StoredObject): StoredObject {
    const key = keyOfAddress(address);
    if (kind.plural === "pods" && last !== this.database.get(kind, key)) this.database.put(kind, key, last); // watches see it marked first
    return this.database.remove(kind, key, last) ?? last;
  }

  #namespace(name: string): StoredObject | undefined {
    const kind = this.#kinds.get("/v1/namespaces");
    return kind === undefined ? undefined : this.database.get(kind, name);
  }

  /** A namespace goes when all that is in it has gone; that is deleted as the namespace controller does. */
  #deleteNamespace(kind: ServedKind, current: StoredObject, decision: Deletion): DeletedObject {
    if (isTerminating(current)) return { object: current, isGone: false };
    const { name } = current.metadata;
    const marked = decision.type === "keep" ? current : markedForDeletion(decision.object, this.clock.nowMs());
    const object = this.database.put(kind, name, terminating(marked));
    this.#later(NAMESPACE_CONTROL_MS, () => {
      for (const content of this.#contentOf(name)) this.delete(content.kind, content.object.metadata);
      this.#dropIfEmpty(name);
    });
    return { object, isGone: false };
  }

  #contentOf(namespace: string): readonly Dependent[] {
    const kinds = [...this.#kinds.values()].filter(({ namespaced }) => namespaced);
    return kinds.flatMap((kind) => this.list(kind, namespace).map((object) => ({ kind, object })));
  }

  #dropIfEmpty(name: string): void {
    const namespace = this.#namespace(name);
    if (namespace === undefined || !isTerminating(namespace) || this.#contentOf(name).length > 0) return;
    this.database.remove(this.kind({ group: "", version: "v1", plural: "namespaces" }), name, namespace);
  }

  #playKubelet(resource: Resource, address: ObjectAddress, uid: string): void {
    const { podTerminationMs } = this.#options;
    if (podTerminationMs === undefined || resource.plural !== "pods") return;
    this.#later(podTerminationMs, () => {
      const current = this.database.get(this.kind(resource), keyOfAddress(address));
      if (current?.metadata.uid === uid) this.delete(resource, address, { gracePeriodSeconds: 0 });
    });
  }

  #afterDeletion(owner: StoredObject): void {
    const { uid, namespace: home } = owner.metadata;
    this.#gone.add(uid);
    if (home !== undefined && isTerminating(this.#namespace(home))) this.#later(NAMESPACE_CONTROL_MS, () => this.#dropIfEmpty(home));
    const isOrphaning = this.#orphaning.delete(uid);
    this.#later(GARBAGE_COLLECTION_MS, () => {
      for (const { kind, object } of dependentsOf(uid, this.database, [...this.#kinds.values()])) {
        const { namespace, name, ownerReferences = [] } = object.metadata;
        if (isOrphaning || ownerReferences.length > 1) this.#store(kind, { namespace, name }, withoutOwner(object, uid));
        else this.delete(kind, { namespace, name });
      }
    });
  }

  /** What is created for owners that are gone already goes after them. */
  #afterCreation(kind: ServedKind, { metadata }: StoredObject): void {
    const { uid, ownerReferences = [] } = metadata;
    if (ownerReferences.length === 0 || !ownerReferences.every((owner) => this.#gone.has(owner.uid))) return;
    this.#later(GARBAGE_COLLECTION_MS, () => {
      const address = { namespace: metadata.namespace, name: metadata.name };
      if (this.database.get(kind, keyOfAddress(address))?.metadata.uid === uid) this.delete(kind, address);
    });
  }

  #later(delayMs: number, act: () => void): void {
    const cancel = this.clock.schedule(delayMs, () => {
      this.#timers.delete(cancel);
      act();
    });
    this.#timers.add(cancel);
  }

  /** What makes a generated name one that nobody has; the real server too tries another one. */
  #freeSuffix(kind: ServedKind, { namespace, name }: ObjectAddress): string {
    for (;;) {
      const suffix = this.#random.hex(5);
      if (this.database.get(kind, keyOfAddress({ namespace, name: `${name}${suffix}` })) === undefined) return suffix;
    }
  }

  #newUid(): string {
    const hex = this.#random.hex(32);
    return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-");
  }
}

function neverStored(object: StoredObject): StoredObject {
  return { ...object, metadata: omit(object.metadata as unknown as JsonObject, ["resourceVersion"]) as unknown as StoredMeta };
}

function keyOfKind({ group, version, plural }: Pick<Resource, "group" | "version" | "plural">): string {
  return `${group}/${version}/${plural}`;
}

function keyOfAddress({ namespace, name }: ObjectAddress): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
