import type { CelEngine } from "../../cel/cel-engine.js";
import type { FieldProblem } from "../field-problem.js";
import { isObject, type JsonObject, listOf, valueAt } from "../json.js";
import { customKind, type ServedKind } from "../served-kinds.js";
import { completeObject } from "./complete.js";
import { type JsonSchema, loadSchema } from "./json-schema.js";
import type { ObjectSchema } from "./object-schema.js";
import { blockedRules, ruleProblems } from "./rule-checks.js";
import { type Correlated, duplicates, structureProblems } from "./structure-checks.js";

/** The kinds that a CustomResourceDefinition serves, one per version. @param cel absent: rules in CEL are not checked */
export function kindsOfDefinition(definition: JsonObject, cel?: CelEngine): readonly ServedKind[] {
  const spec = definition["spec"] as { readonly group: string; readonly scope: string; readonly names: { plural: string; kind: string } };
  const { group, scope, names } = spec;
  return listOf(valueAt(definition, "spec.versions"))
    .filter(isObject)
    .map((version) => {
      const root = valueAt(version, "schema.openAPIV3Schema");
      const resource = {
        group,
        version: String(version["name"]),
        plural: names.plural,
        kind: names.kind,
        namespaced: scope === "Namespaced",
      };
      return { ...customKind(resource), schema: new StructuralSchema(loadSchema(isObject(root) ? root : {}, names.kind), cel) };
    });
}

class StructuralSchema implements ObjectSchema {
  readonly #root: JsonSchema;
  readonly #status: JsonSchema;
  readonly #cel: CelEngine | undefined;

  constructor(root: JsonSchema, cel: CelEngine | undefined) {
    // The real server checks metadata by rules of its own.
    this.#root = { ...root, properties: { ...root.properties, metadata: {} } };
    this.#status = root.properties?.["status"] ?? {};
    this.#cel = cel;
  }

  complete(object: JsonObject): JsonObject {
    return completeObject(object, this.#root);
  }

  problems(object: JsonObject, old?: JsonObject): readonly FieldProblem[] {
    return this.#problems({ value: object, old }, this.#root, "");
  }

  statusProblems(object: JsonObject, old: JsonObject): readonly FieldProblem[] {
    return "status" in object ? this.#problems({ value: object["status"], old: old["status"] }, this.#status, "status") : [];
  }

  #problems(subject: Correlated, schema: JsonSchema, path: string): readonly FieldProblem[] {
    const wasUnique = subject.old === undefined || duplicates(subject.old, schema, path).length === 0;
    const found = [...structureProblems(subject, schema, path), ...(wasUnique ? duplicates(subject.value, schema, path) : [])];
    const blocked = blockedRules(found);
    if (blocked !== undefined) return [...found, blocked];
    return this.#cel === undefined ? found : [...found, ...ruleProblems(this.#cel, subject, { schema, path })];
  }
}
