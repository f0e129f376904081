import type { Database } from "./database.js";
import type { StoredObject } from "./json.js";
import type { ServedKind } from "./served-kinds.js";

/** An object that names some owner. */
export interface Dependent {
  readonly kind: ServedKind;
  readonly object: StoredObject;
}

/** The objects of all kinds that name an owner by uid. */
export function dependentsOf(uid: string, database: Database, kinds: readonly ServedKind[]): readonly Dependent[] {
  return kinds.flatMap((kind) =>
    database
      .all(kind)
      .filter((object) => object.metadata.ownerReferences?.some((owner) => owner.uid === uid))
      .map((object) => ({ kind, object })),
  );
}

/** The object without one owner. */
export function withoutOwner(object: StoredObject, uid: string): StoredObject {
  const { ownerReferences = [], ...metadata } = object.metadata;
  const rest = ownerReferences.filter((owner) => owner.uid !== uid);
  return { ...object, metadata: rest.length === 0 ? metadata : { ...metadata, ownerReferences: rest } };
}
