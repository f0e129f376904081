import type { FieldProblem } from "../field-problem.js";
import type { JsonObject } from "../json.js";

/** What a CustomResourceDefinition says about the objects of one version. */
export interface ObjectSchema {
  /** The object without fields that the schema does not know, and with its defaults. */
  complete(object: JsonObject): JsonObject;
  /** What is wrong with an object that is created, or changed from `old`. */
  problems(object: JsonObject, old?: JsonObject): readonly FieldProblem[];
  /** What is wrong with a write of the status alone. */
  statusProblems(object: JsonObject, old: JsonObject): readonly FieldProblem[];
}
