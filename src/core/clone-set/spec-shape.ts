import { isJsonObject, type JsonObject } from "../values/json-object.js";

/** A value that cannot be meant, and what to write instead. */
export interface SpecProblem {
  readonly field: string;
  /** One sentence for the user: the value as it is and the way out. */
  readonly message: string;
}

/** `map`: an object whose values are text. A list names the shape of its elements, an object those of its members; others may be anything. */
type Shape = "text" | "flag" | "int32" | "map" | readonly [Shape] | { readonly [member: string]: Shape };

const MAX_INT32 = 2_147_483_647;

const WAYS_OUT = {
  text: "text",
  flag: "true or false",
  int32: "a whole number of at most 32 bits",
  map: "an object whose values are text",
};

const HOOK: Shape = { labelsHandler: "map", finalizersHandler: ["text"], markPodNotReady: "flag" };

const CONTAINER: Shape = { name: "text", image: "text", env: [{}] };

/** Every field that a rule reads, but for those that have rules of their own: selectors, numbers or percentages. */
const SPEC: Shape = {
  replicas: "int32",
  minReadySeconds: "int32",
  revisionHistoryLimit: "int32",
  progressDeadlineSeconds: "int32",
  selector: {},
  template: {
    metadata: { labels: "map", annotations: "map", finalizers: ["text"] },
    spec: { containers: [CONTAINER], initContainers: [CONTAINER], readinessGates: [{ conditionType: "text" }] },
  },
  scaleStrategy: {},
  lifecycle: { preDelete: HOOK, preNormal: HOOK, inPlaceUpdate: HOOK },
  updateStrategy: {
    type: "text",
    paused: "flag",
    priorityStrategy: {},
    inPlaceUpdateStrategy: {
      gracePeriodSeconds: "int32",
      imagePreDownloadTimeoutSeconds: "int32",
      imagePreDownloadMinUpdatedReadyPods: "int32",
    },
  },
};

/**
 * Members of a spec that are of another type than the rules expect; null counts as absent.
 *
 * The schema sees to that, but for the template, which it leaves open; and a schema can be relaxed by hand. Values are not quoted: a
 * template may hold what a user would rather not see in a status.
 */
export function shapeProblems(spec: unknown): readonly SpecProblem[] {
  return problemsOf(spec, SPEC, "spec");
}

function problemsOf(value: unknown, shape: Shape, field: string): readonly SpecProblem[] {
  if (value === undefined || value === null) return [];
  if (typeof shape === "string") return hasShape(value, shape) ? [] : [problem(value, field, WAYS_OUT[shape])];
  if (isList(shape)) {
    if (!Array.isArray(value)) return [problem(value, field, "a list")];
    return value.flatMap((element: unknown, index) => elementProblems(element, shape[0], `${field}[${index}]`));
  }
  if (!isJsonObject(value)) return [problem(value, field, "an object")];
  return Object.entries(shape).flatMap(([name, member]) => problemsOf(value[name], member, `${field}.${name}`));
}

function elementProblems(element: unknown, shape: Shape, field: string): readonly SpecProblem[] {
  return element === null
    ? [problem(element, field, typeof shape === "string" ? WAYS_OUT[shape] : "an object")]
    : problemsOf(element, shape, field);
}

function hasShape(value: unknown, shape: keyof typeof WAYS_OUT): boolean {
  switch (shape) {
    case "text":
      return typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "int32":
      return Number.isInteger(value) && Math.abs(value as number) <= MAX_INT32;
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

function problem(value: unknown, field: string, wayOut: string): SpecProblem {
  return { field, message: `is ${nameOf(value)}: make it ${wayOut}` };
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
