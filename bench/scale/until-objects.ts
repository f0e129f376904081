import type { KubeObject, Resource } from "../../src/api/meta.js";
import type { ApiState } from "../../src/sim/api-server/api-state.js";

/** Resolves, with their last states, when so many objects of a kind are done, by what is stored now and by what changes. */
export function untilObjects<T extends KubeObject>(
  state: ApiState,
  resource: Resource,
  { count, isDone }: { readonly count: number; readonly isDone: (object: T) => boolean },
): Promise<readonly T[]> {
  const done = new Map<string, T>();
  return new Promise((resolve) => {
    const look = (object: T): boolean => {
      const key = `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
      if (isDone(object)) done.set(key, object);
      else done.delete(key);
      return done.size >= count;
    };
    const isOver = (state.list(resource) as unknown as readonly T[]).filter(look).length > 0 && done.size >= count;
    if (isOver) {
      resolve([...done.values()]);
      return;
    }
    const end = state.database.watch({ kind: state.kind(resource) }, ({ object }) => {
      if (!look(object as unknown as T)) return;
      end();
      resolve([...done.values()]);
    });
  });
}
