import { type FieldProblem, invalidValue, tooLong, tooMany, unsupportedValue } from "../field-problem.js";
import { isObject, jsonEquals } from "../json.js";
import type { JsonSchema } from "./json-schema.js";

const INT32_MAX = 2 ** 31 - 1;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** What is wrong with a value itself; whatever it holds is not looked at. `path` is as the real server tells it. */
export function valueProblems(value: unknown, schema: JsonSchema, path: string): readonly FieldProblem[] {
  const wrongType = typeProblem(value, schema, path);
  if (wrongType !== undefined) return [wrongType];
  const problems: FieldProblem[] = [...sizeProblems(value, schema, path)];
  if (typeof value === "string") problems.push(...stringProblems(value, schema, path));
  if (typeof value === "number") problems.push(...numberProblems(value, schema, path));
  if (schema.enum !== undefined && !schema.enum.some((one) => jsonEquals(one, value))) {
    problems.push(unsupportedValue(path, value, schema.enum));
  }
  return problems;
}

function typeProblem(value: unknown, schema: JsonSchema, path: string): FieldProblem | undefined {
  const wanted = schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type === undefined ? [] : [schema.type];
  const found = typeOf(value);
  if (wanted.length === 0 || wanted.includes(found) || (value === null && schema.nullable === true)) return undefined;
  return wrongType(path, wanted.join(","), found);
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

function stringProblems(value: string, { minLength, maxLength, pattern, format }: JsonSchema, path: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) problems.push(tooLong(path, maxLength));
  if (minLength !== undefined && length < minLength) {
    problems.push(invalidValue(path, value, `${path} in body should be at least ${String(minLength)} chars long`));
  }
  if (pattern !== undefined && !new RegExp(pattern, "u").test(value)) {
    problems.push(invalidValue(path, value, `${path} in body should match '${pattern}'`));
  }
  if (format === "date-time" && !(DATE_TIME.test(value) && !Number.isNaN(Date.parse(value)))) {
    problems.push(wrongTypeValue(path, value, "date-time"));
  }
  return problems;
}

function numberProblems(value: number, { minimum, maximum, format }: JsonSchema, path: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const most = Math.min(maximum ?? Number.POSITIVE_INFINITY, format === "int32" ? INT32_MAX : Number.POSITIVE_INFINITY);
  if (minimum !== undefined && value < minimum) {
    problems.push(invalidValue(path, value, `${path} in body should be greater than or equal to ${String(minimum)}`));
  }
  if (value > most) problems.push(invalidValue(path, value, `${path} in body should be less than or equal to ${String(most)}`));
  return problems;
}

function sizeProblems(value: unknown, { maxItems, maxProperties }: JsonSchema, path: string): readonly FieldProblem[] {
  if (Array.isArray(value)) return maxItems !== undefined && value.length > maxItems ? [tooMany(path, value.length, maxItems)] : [];
  const count = isObject(value) ? Object.keys(value).length : 0;
  return maxProperties !== undefined && count > maxProperties ? [tooMany(path, count, maxProperties)] : [];
}

function wrongTypeValue(path: string, value: string, wanted: string): FieldProblem {
  const told = JSON.stringify(value);
  return {
    reason: "FieldValueTypeInvalid",
    field: path,
    message: `Invalid value: ${told}: ${path} in body must be of type ${wanted}: ${told}`,
  };
}
