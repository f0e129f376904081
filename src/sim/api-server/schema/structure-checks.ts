import { duplicateValue, type FieldProblem, required } from "../field-problem.js";
import { isObject, jsonEquals, listOf, pick } from "../json.js";
import { anywhere, type JsonSchema, memberPath, memberSchema } from "./json-schema.js";
import { valueProblems } from "./value-checks.js";

/** A value and what stood in its place before; undefined: nothing that it can be compared with. */
export interface Correlated {
  readonly value: unknown;
  readonly old: unknown;
}

/** What of a value, and of all that it holds, its schema refuses. What has not changed is not looked at: an object that was stored once can be stored again. */
export function structureProblems({ value, old }: Correlated, schema: JsonSchema, path: string): readonly FieldProblem[] {
  if (old !== undefined && jsonEquals(value, old)) return [];
  const inside = members({ value, old }, schema, path).flatMap((member) => structureProblems(member, member.schema, member.path));
  const missing = isObject(value) ? (schema.required ?? []).filter((name) => !(name in value)) : [];
  return [...valueProblems(value, schema, path), ...inside, ...missing.map((name) => required(memberPath(path, name)))];
}

const holdsSets = anywhere(({ "x-kubernetes-list-type": type }) => type === "map" || type === "set");

/** Items that stand twice in a list whose items are told apart, anywhere in a value. */
export function duplicates(value: unknown, schema: JsonSchema, path: string): readonly FieldProblem[] {
  if (!holdsSets(schema)) return [];
  const inside = members({ value, old: undefined }, schema, path).flatMap((member) =>
    duplicates(member.value, member.schema, member.keyedPath),
  );
  const type = schema["x-kubernetes-list-type"];
  if (type !== "map" && type !== "set") return inside;
  const seen = new Set<string>();
  const twice = listOf(value).flatMap((item, index) => {
    const identity = identityOf(item, schema);
    const text = JSON.stringify(identity);
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew ? [] : [duplicateValue(`${path}[${String(index)}]`, identity)];
  });
  return [...twice, ...inside];
}

/** A part of a value, with its own schema. */
export interface Member extends Correlated {
  readonly schema: JsonSchema;
  readonly path: string;
  /** The same, with the keys of maps in brackets; the real server uses both forms. */
  readonly keyedPath: string;
}

/** What a value holds and its schema speaks of. */
export function members({ value, old }: Correlated, schema: JsonSchema, path: string): readonly Member[] {
  const { items } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return [];
    const partnerOf = partners(old, schema);
    return value.map((item: unknown, index) => {
      const itemPath = `${path}[${String(index)}]`;
      return { value: item, old: partnerOf(item), schema: items, path: itemPath, keyedPath: itemPath };
    });
  }
  if (!isObject(value)) return [];
  const before = isObject(old) ? old : {};
  return Object.entries(value).flatMap(([name, member]) => {
    const known = memberSchema(schema, name);
    if (known === undefined) return [];
    const dotted = memberPath(path, name);
    const keyedPath = schema.properties?.[name] === undefined ? `${path}[${name}]` : dotted;
    return [{ value: member, old: before[name], schema: known, path: dotted, keyedPath }];
  });
}

/** Finds the item that an item was before; only lists that are maps can tell. */
function partners(old: unknown, schema: JsonSchema): (item: unknown) => unknown {
  if (schema["x-kubernetes-list-type"] !== "map") return () => undefined;
  const byIdentity = new Map(listOf(old).map((item) => [JSON.stringify(identityOf(item, schema)), item]));
  return (item) => byIdentity.get(JSON.stringify(identityOf(item, schema)));
}

function identityOf(item: unknown, schema: JsonSchema): unknown {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return schema["x-kubernetes-list-type"] === "map" && isObject(item) ? pick(item, keys) : item;
}
