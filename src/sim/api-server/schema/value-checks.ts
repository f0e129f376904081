import { type FieldProblem, invalidValue, tooLong, tooMany, unsupportedValue } from "../field-problem.js";
import { isObject, jsonEquals } from "../json.js";
import type { JsonSchema } from "./json-schema.js";

const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** What is wrong with a value itself; whatever it holds is not looked at. `path` is as the real server tells it. */
export function valueProblems(value: unknown, schema: JsonSchema, path: string): readonly FieldProblem[] {
  const wrong = typeProblems(value, schema, path);
  if (wrong.length > 0) return wrong;
  const problems: FieldProblem[] = [...sizeProblems(value, schema, path)];
  if (typeof value === "string") problems.push(...stringProblems(value, schema, path));
  if (typeof value === "number") problems.push(...numberProblems(value, schema, path));
  if (schema.enum !== undefined && !schema.enum.some((one) => jsonEquals(one, value))) {
    problems.push(unsupportedValue(path, value, schema.enum));
  }
  return problems;
}

function typeProblems(value: unknown, schema: JsonSchema, path: string): readonly FieldProblem[] {
  const isEither = schema["x-kubernetes-int-or-string"] === true;
  const wanted = isEither ? ["integer", "string"] : schema.type === undefined ? [] : [schema.type];
  const found = typeOf(value);
  if (wanted.length === 0 || wanted.includes(found) || (value === null && schema.nullable === true)) return [];
  const problem = wrongType(path, wanted.join(","), found);
  if (!isEither) return [problem];
  const alternatives = `"${path}" must validate at least one schema (anyOf)`;
  return [
    problem,
    wrongType(path, "integer", found),
    { reason: "FieldValueInvalid", field: "<nil>", message: `Invalid value: "": ${alternatives}` },
  ];
}

function wrongType(path: string, wanted: string, found: string): FieldProblem {
  const told = JSON.stringify(found);
  const message = `Invalid value: ${told}: ${path} in body must be of type ${wanted}: ${told}`;
  return { reason: "FieldValueTypeInvalid", field: path, message };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** Only the first one is told, but for the format, which is looked at on its own. */
function stringProblems(value: string, schema: JsonSchema, path: string): readonly FieldProblem[] {
  const text = textProblem(value, schema, path);
  const isTime = schema.format !== "date-time" || (DATE_TIME.test(value) && !Number.isNaN(Date.parse(value)));
  return [...(text === undefined ? [] : [text]), ...(isTime ? [] : [wrongType(path, "date-time", value)])];
}

function textProblem(value: string, { minLength, maxLength, pattern }: JsonSchema, path: string): FieldProblem | undefined {
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) return tooLong(path, maxLength);
  if (minLength !== undefined && length < minLength) {
    return invalidValue(path, value, `${path} in body should be at least ${String(minLength)} chars long`);
  }
  const isMatch = pattern === undefined || matcherOf(pattern).test(value);
  return isMatch ? undefined : invalidValue(path, value, `${path} in body should match '${pattern}'`);
}

function numberProblems(value: number, { minimum, maximum }: JsonSchema, path: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (minimum !== undefined && value < minimum) {
    problems.push(invalidValue(path, value, `${path} in body should be greater than or equal to ${String(minimum)}`));
  }
  if (maximum !== undefined && value > maximum) {
    problems.push(invalidValue(path, value, `${path} in body should be less than or equal to ${String(maximum)}`));
  }
  return problems;
}

function sizeProblems(value: unknown, { maxItems, maxProperties }: JsonSchema, path: string): readonly FieldProblem[] {
  if (Array.isArray(value)) return maxItems !== undefined && value.length > maxItems ? [tooMany(path, value.length, maxItems)] : [];
  const count = isObject(value) ? Object.keys(value).length : 0;
  return maxProperties !== undefined && count > maxProperties ? [tooMany(path, count, maxProperties)] : [];
}

const MATCHERS = new Map<string, RegExp>();

/** Made once for each pattern. */
function matcherOf(pattern: string): RegExp {
  const matcher = MATCHERS.get(pattern) ?? new RegExp(pattern, "u");
  MATCHERS.set(pattern, matcher);
  return matcher;
}
