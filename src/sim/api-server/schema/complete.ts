import { isObject, type JsonObject } from "../json.js";
import { type JsonSchema, memberSchema } from "./json-schema.js";

/** What of an object the real server never touches by schema. */
const FIXED = ["apiVersion", "kind", "metadata"];

/** A whole object without what its schema does not know, and with the schema's defaults. */
export function completeObject(object: JsonObject, schema: JsonSchema): JsonObject {
  const fixed = Object.fromEntries(FIXED.filter((name) => name in object).map((name) => [name, object[name]]));
  return { ...(complete(object, schema) as JsonObject), ...fixed };
}

function complete(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => complete(item, items));
  }
  return isObject(value) ? completeMembers(value, schema) : value;
}

/** Null where nothing may be null is taken for absent. */
function completeMembers(object: JsonObject, schema: JsonSchema): JsonObject {
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    const member = memberSchema(schema, name);
    if (member === undefined) {
      if (keepsUnknown) kept[name] = value;
    } else if (value !== null || member.nullable === true) kept[name] = complete(value, member);
  }
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (member.default !== undefined && !(name in kept)) kept[name] = complete(structuredClone(member.default), member);
  }
  return kept;
}
