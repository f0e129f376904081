import { isJsonObject, type JsonObject } from "./json-object.js";

/** `map`: an object whose values are text. A list names the shape of its elements, an object those of its members; others may be anything. */
export type Shape = "text" | "flag" | "int32" | "count" | "map" | readonly [Shape] | { readonly [member: string]: Shape };

/** A member that has another type than it should. */
export interface ShapeProblem {
  /** Its path. */
  readonly field: string;
  /** The type that it has and the one that it should have; never the value. */
  readonly message: string;
}

const MAX_INT32 = 2_147_483_647;

const WAYS_OUT = {
  text: "text",
  flag: "true or false",
  int32: "a whole number of at most 32 bits",
  count: "a whole number that is not negative",
  map: "an object whose values are text",
};

/** Members of a JSON value that are of another type than the shape says; null and absent are no problem, but for null in a list. */
export function shapeProblems(value: unknown, shape: Shape, field: string): readonly ShapeProblem[] {
  if (value === undefined || value === null) return [];
  if (typeof shape === "string") return hasShape(value, shape) ? [] : [problem(value, field, WAYS_OUT[shape])];
  if (isList(shape)) {
    if (!Array.isArray(value)) return [problem(value, field, "a list")];
    return value.flatMap((element: unknown, index) => elementProblems(element, shape[0], `${field}[${index}]`));
  }
  if (!isJsonObject(value)) return [problem(value, field, "an object")];
  return Object.entries(shape).flatMap(([name, member]) => shapeProblems(value[name], member, `${field}.${name}`));
}

function elementProblems(element: unknown, shape: Shape, field: string): readonly ShapeProblem[] {
  return element === null
    ? [problem(element, field, typeof shape === "string" ? WAYS_OUT[shape] : "an object")]
    : shapeProblems(element, shape, field);
}

function hasShape(value: unknown, shape: keyof typeof WAYS_OUT): boolean {
  switch (shape) {
    case "text":
      return typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "int32":
      return Number.isInteger(value) && Math.abs(value as number) <= MAX_INT32;
    case "count":
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case "map":
      return isJsonObject(value) && areTexts(value);
  }
}

// Kubernetes reads null as the empty text there.
function areTexts(map: JsonObject): boolean {
  return Object.values(map).every((value) => typeof value === "string" || value === null);
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function problem(value: unknown, field: string, wayOut: string): ShapeProblem {
  return { field, message: `is ${nameOf(value)}: make it ${wayOut}` };
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
