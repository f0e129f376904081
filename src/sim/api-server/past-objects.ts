import type { ApiState } from "./api-state.js";
import type { StoredObject } from "./json.js";
import type { ServedKind } from "./served-kinds.js";

/** The objects of a kind as they were at a revision; those of now if that is forgotten. */
export function objectsAt(state: ApiState, kind: ServedKind, revision: number): readonly StoredObject[] {
  const since = state.database.changesAfter(revision)?.filter((record) => record.kind === kind) ?? [];
  const present = state.list(kind);
  if (since.length === 0) return present;
  const objects = new Map(present.map((object) => [keyOf(object), object]));
  for (const { object, before } of [...since].reverse()) {
    if (before === undefined) objects.delete(keyOf(object));
    else objects.set(keyOf(before), before);
  }
  return [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}

function keyOf({ metadata: { namespace, name } }: StoredObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
