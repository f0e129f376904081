import type { CelEngine } from "../../cel/cel-engine.js";
import { type FieldProblem, invalidValue } from "../field-problem.js";
import { isObject, type JsonObject, listOf, valueAt } from "../json.js";
import { customKind, type ServedKind } from "../served-kinds.js";
import { completeObject } from "./complete.js";
import { type JsonSchema, loadSchema, memberPath } from "./json-schema.js";
import type { ObjectSchema } from "./object-schema.js";
import { blockedRules, ruleProblems } from "./rule-checks.js";
import { type Correlated, duplicates, structureProblems } from "./structure-checks.js";

/** The kind that a CustomResourceDefinition serves, in the version that is stored: the model converts nothing. @param cel absent: rules in CEL are not checked */
export function kindsOfDefinition(definition: JsonObject, cel?: CelEngine): readonly ServedKind[] {
  const spec = definition["spec"] as { readonly group: string; readonly scope: string; readonly names: { plural: string; kind: string } };
  const { group, scope, names } = spec;
  return listOf(valueAt(definition, "spec.versions"))
    .filter((version) => isObject(version) && version["storage"] === true)
    .map((version) => {
      const root = valueAt(version, "schema.openAPIV3Schema");
      const replicasPath = valueAt(version, "subresources.scale.specReplicasPath") as string | undefined;
      const resource = {
        group,
        version: String(valueAt(version, "name")),
        plural: names.plural,
        kind: names.kind,
        namespaced: scope === "Namespaced",
      };
      return {
        ...customKind(resource),
        schema: new StructuralSchema(loadSchema(isObject(root) ? root : {}, names.kind), { replicasPath, cel }),
      };
    });
}

const MAX_REPLICAS = 2 ** 31 - 1;

/** What the scale subresource does not bear of the number that it is about. @param path with a leading dot, as the definition has it */
function scaleProblems(object: JsonObject, path: string): readonly FieldProblem[] {
  const replicas = valueAt(object, path.slice(1)) ?? 0;
  if (typeof replicas !== "number" || !Number.isInteger(replicas)) {
    const type = typeof replicas === "number" ? "float64" : goTypeOf(replicas);
    return [
      invalidValue(
        path,
        0,
        `${path} accessor error: ${typeof replicas === "string" ? replicas : JSON.stringify(replicas)} is of the type ${type}, expected int64`,
      ),
    ];
  }
  if (replicas < 0) return [invalidValue(path, replicas, "should be a non-negative integer")];
  return replicas > MAX_REPLICAS ? [invalidValue(path, replicas, `should be less than or equal to ${String(MAX_REPLICAS)}`)] : [];
}

function goTypeOf(value: unknown): string {
  return typeof value === "boolean" ? "bool" : typeof value;
}

class StructuralSchema implements ObjectSchema {
  readonly #root: JsonSchema;
  readonly #status: JsonSchema;
  readonly #replicasPath: string | undefined;
  readonly #cel: CelEngine | undefined;

  constructor(root: JsonSchema, { replicasPath, cel }: { readonly replicasPath: string | undefined; readonly cel: CelEngine | undefined }) {
    this.#replicasPath = replicasPath;
    // The real server checks metadata by rules of its own.
    this.#root = { ...root, properties: { ...root.properties, metadata: {} } };
    this.#status = root.properties?.["status"] ?? {};
    this.#cel = cel;
  }

  complete(object: JsonObject): JsonObject {
    return completeObject(object, this.#root);
  }

  problems(object: JsonObject, old?: JsonObject): readonly FieldProblem[] {
    const scale = this.#replicasPath === undefined ? [] : scaleProblems(object, this.#replicasPath);
    return [...scale, ...this.#problems({ value: object, old }, this.#root, "")];
  }

  statusProblems(object: JsonObject, old: JsonObject): readonly FieldProblem[] {
    if (!("status" in object)) return [];
    // The real server tells paths from the status on, and puts the rest before the field's name only.
    return this.#problems({ value: object["status"], old: old["status"] }, this.#status, "").map((problem) => ({
      ...problem,
      field: problem.field === "<nil>" ? problem.field : memberPath("status", problem.field),
    }));
  }

  #problems(subject: Correlated, schema: JsonSchema, path: string): readonly FieldProblem[] {
    const twice = duplicates(subject.value, schema, path);
    // What was stored with duplicates once can be stored with them again.
    const isNew = twice.length > 0 && (subject.old === undefined || duplicates(subject.old, schema, path).length === 0);
    const found = [...structureProblems(subject, schema, path), ...(isNew ? twice : [])];
    const blocked = blockedRules(found);
    if (blocked !== undefined) return [...found, blocked];
    return this.#cel === undefined ? found : [...found, ...ruleProblems(this.#cel, subject, { schema, path })];
  }
}
