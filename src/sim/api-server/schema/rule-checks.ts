import type { FieldProblem, FieldReason } from "../field-problem.js";
import { jsonEquals } from "../json.js";
import { anywhere, type JsonSchema, memberPath, type ValidationRule } from "./json-schema.js";
import { type Correlated, members } from "./structure-checks.js";
import type { CelEngine } from "../../cel/cel-engine.js";
import { celValue } from "../../cel/cel-value.js";

/** The reasons that keep the real server from evaluating any rule. */
const BLOCKING: ReadonlySet<FieldReason> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** What an object with such problems is told about its rules; undefined: they can be evaluated. */
export function blockedRules(problems: readonly FieldProblem[]): FieldProblem | undefined {
  if (!problems.some(({ reason }) => BLOCKING.has(reason))) return undefined;
  const why = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
  return { reason: "FieldValueInvalid", field: "<nil>", message: `Invalid value: null: ${why}` };
}

const holdsRules = anywhere(({ "x-kubernetes-validations": rules = [] }) => rules.length > 0);

/** The CEL rules of a schema that a value, or anything in it, breaks. */
export function ruleProblems(
  engine: CelEngine,
  { value, old }: Correlated,
  at: { readonly schema: JsonSchema; readonly path: string },
): readonly FieldProblem[] {
  const { schema, path } = at;
  if (!holdsRules(schema)) return [];
  const isSame = old !== undefined && jsonEquals(value, old);
  const own = (schema["x-kubernetes-validations"] ?? []).flatMap((rule) => brokenRule(engine, rule, { value, old, isSame, ...at }));
  const inside = members({ value, old }, schema, path).flatMap((member) =>
    ruleProblems(engine, member, { schema: member.schema, path: member.keyedPath }),
  );
  return [...own, ...inside];
}

interface RuleSubject extends Correlated {
  readonly schema: JsonSchema;
  readonly path: string;
  readonly isSame: boolean;
}

function brokenRule(engine: CelEngine, rule: ValidationRule, { value, old, schema, path, isSame }: RuleSubject): readonly FieldProblem[] {
  const isTransition = /\boldSelf\b/.test(rule.rule);
  if (isTransition ? old === undefined : isSame) return [];
  const activation = { self: celValue(value), ...(isTransition ? { oldSelf: celValue(old) } : {}) };
  const field = rule.fieldPath === undefined ? path : memberPath(path, rule.fieldPath.replace(/^\./, ""));
  const broken = evaluate(engine, rule, activation);
  if (broken === undefined) return [];
  const isBig = schema.type === "object" || schema.type === "array";
  const told = isBig ? "Invalid value" : `Invalid value: ${JSON.stringify(value)}`;
  return [{ reason: "FieldValueInvalid", field, message: `${told}: ${broken}` }];
}

/** @returns what to say; undefined if the rule holds */
function evaluate(engine: CelEngine, { rule, message }: ValidationRule, activation: Readonly<Record<string, unknown>>): string | undefined {
  try {
    return engine.evaluate(rule, activation) === true ? undefined : (message ?? `failed rule: ${rule}`);
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)} evaluating rule: ${message ?? rule}`;
  }
}
