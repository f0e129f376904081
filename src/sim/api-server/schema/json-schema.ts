import type { JsonObject } from "../json.js";

/** A rule in CEL on a value. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
}

/** The part of a CustomResourceDefinition's schema that the shipped definitions use; anything else in one is refused when it is loaded. */
export interface JsonSchema {
  readonly type?: "object" | "array" | "string" | "integer" | "boolean";
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: "map" | "set" | "atomic";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["type", "format", "nullable", "default", "enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "maxItems"],
  ...["maxProperties", "required", "properties", "additionalProperties", "items", "description", "anyOf"],
  ...["preserve-unknown-fields", "int-or-string", "list-type", "list-map-keys", "map-type", "validations"].map(
    (name) => `x-kubernetes-${name}`,
  ),
]);

/** Takes a schema as it stands in a CustomResourceDefinition. @throws {TypeError} if it says something that the model does not know */
export function loadSchema(schema: JsonObject, path = ""): JsonSchema {
  const unknown = Object.keys(schema).filter((name) => !KNOWN.has(name));
  if (unknown.length > 0) throw new TypeError(`Cannot use the schema of "${path}": the model does not know ${unknown.join(", ")}`);
  const known = schema as JsonSchema & JsonObject;
  for (const [name, property] of Object.entries(known.properties ?? {})) loadSchema(property as JsonObject, `${path}.${name}`);
  for (const part of [known.additionalProperties, known.items]) if (part !== undefined) loadSchema(part as JsonObject, `${path}[]`);
  return known;
}

/** The schema of one member of an object; undefined: it is not known. */
export function memberSchema({ properties, additionalProperties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties?.[name] ?? additionalProperties;
}

/** The path of a member of an object. */
export function memberPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** Tells whether something holds for a schema or for any that it is made of; each schema is looked at once. */
export function anywhere(test: (schema: JsonSchema) => boolean): (schema: JsonSchema) => boolean {
  const known = new WeakMap<JsonSchema, boolean>();
  const isAnywhere = (schema: JsonSchema): boolean => {
    const found = known.get(schema);
    if (found !== undefined) return found;
    const { properties = {}, additionalProperties, items } = schema;
    const parts = [...Object.values(properties), additionalProperties, items];
    const outcome = test(schema) || parts.some((part) => part !== undefined && isAnywhere(part));
    known.set(schema, outcome);
    return outcome;
  };
  return isAnywhere;
}
