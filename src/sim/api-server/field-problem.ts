import { ApiError, detailsOf, quoted } from "./api-error.js";
import type { ServedKind } from "./served-kinds.js";

/** Why a field is refused, as the real server names it in `details.causes`. */
export type FieldReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueDuplicate"
  | "FieldValueTooLong"
  | "FieldValueTooMany";

/** One thing that is wrong with one field. */
export interface FieldProblem {
  readonly reason: FieldReason;
  /** Dotted, with indexes and keys in brackets. */
  readonly field: string;
  readonly message: string;
}

export function required(field: string, detail = ""): FieldProblem {
  return { reason: "FieldValueRequired", field, message: join("Required value", detail) };
}

export function forbidden(field: string, detail: string): FieldProblem {
  return { reason: "FieldValueForbidden", field, message: join("Forbidden", detail) };
}

export function invalidValue(field: string, value: unknown, detail: string): FieldProblem {
  return { reason: "FieldValueInvalid", field, message: join(`Invalid value: ${JSON.stringify(value)}`, detail) };
}

/** @param supported the values that are allowed, in the order in which they are to be named */
export function unsupportedValue(field: string, value: unknown, supported: readonly unknown[]): FieldProblem {
  const names = supported.map((one) => JSON.stringify(String(one))).join(", ");
  return { reason: "FieldValueNotSupported", field, message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${names}` };
}

export function duplicateValue(field: string, value: unknown): FieldProblem {
  return { reason: "FieldValueDuplicate", field, message: `Duplicate value: ${JSON.stringify(value)}` };
}

export function tooLong(field: string, maxBytes: number): FieldProblem {
  return { reason: "FieldValueTooLong", field, message: `Too long: may not be more than ${String(maxBytes)} bytes` };
}

export function tooMany(field: string, count: number, max: number): FieldProblem {
  const most = max === 1 ? "1 item" : `${String(max)} items`;
  return { reason: "FieldValueTooMany", field, message: `Too many: ${String(count)}: must have at most ${most}` };
}

/** The 422 that names all problems of an object at once. @param kind as the message is to name it */
export function invalidObject(
  { kind, group }: Pick<ServedKind, "kind" | "group">,
  name: string,
  problems: readonly FieldProblem[],
): ApiError {
  const texts = [...new Set(problems.map(({ field, message }) => `${field}: ${message}`))];
  const told = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const named = { plural: kind, group, name };
  const causes = problems.map(({ reason, message, field }) => ({ reason, message, field }));
  return new ApiError({
    code: 422,
    reason: "Invalid",
    message: `${quoted(named)} is invalid: ${told ?? ""}`,
    details: { ...detailsOf(named), causes },
  });
}

function join(type: string, detail: string): string {
  return detail === "" ? type : `${type}: ${detail}`;
}
