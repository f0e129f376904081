/**
 * The same pure function of one object, worked out once per object. For objects of a cache, which are replaced and never changed: many
 * looks ask about each of them, and few have been replaced meanwhile. Nothing is kept alive by it.
 */
export function remember<In extends object, Out>(work: (object: In) => Out): (object: In) => Out {
  const known = new WeakMap<In, { readonly result: Out }>();
  return (object) => {
    const before = known.get(object);
    if (before !== undefined) return before.result;
    const result = work(object);
    known.set(object, { result });
    return result;
  };
}
