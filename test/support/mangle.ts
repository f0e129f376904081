import fc from "fast-check";

/** One edit: which member (modulo how many there are) becomes what; `undefined` removes it. */
type Edit = readonly [which: number, value: unknown];

/** JSON documents that look like `base` but for a few members, at any depth, that are gone or anything else. */
export function mangled<T>(base: T, maxEdits = 3): fc.Arbitrary<T> {
  const value = fc.oneof(
    fc.constant(undefined),
    fc.constant(null),
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom("", "x", 0, -1, 1e308, [], {}, [null]),
  );
  return fc.array(fc.tuple(fc.nat(), value), { maxLength: maxEdits }).map((edits) => edits.reduce<T>(mangle, base));
}

function mangle<T>(document: T, [which, value]: Edit): T {
  const copy = structuredClone(document);
  const members = membersOf(copy);
  const chosen = members[which % Math.max(members.length, 1)];
  if (chosen === undefined) return copy;
  const { holder, key } = chosen;
  if (value !== undefined) holder[key] = structuredClone(value);
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return copy;
}

interface Member {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function membersOf(value: unknown): readonly Member[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...membersOf(holder[key])]);
}
