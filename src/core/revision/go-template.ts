import { isJsonObject, type JsonObject } from "../values/json-object.js";
import { canonicalQuantity, canonicalResourceAmount } from "../values/quantity.js";
import { type FieldShape, type ObjectShape, TEMPLATE_SHAPES } from "./template-shape.js";

/**
 * The pod template as it looks after a Go program has read it and written it again: empty values gone, quantities canonical,
 * `resources: {}` and `metadata.creationTimestamp: null` there.
 *
 * Fields that this list of structs does not know are kept, unlike in Go, so that a newer Kubernetes' features reach the pod. A value of
 * the wrong type is kept too: refusing it is the API server's business. @throws never
 * Source: spec/in-place-update.md 2.4 and 10.
 */
export function goTemplate(template: unknown): JsonObject {
  return writeObject(isJsonObject(template) ? template : {}, shapeNamed("PodTemplateSpec"));
}

function writeObject(object: JsonObject, shape: ObjectShape): JsonObject {
  const written = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object)) {
    const field = shape.get(name);
    const result = field === undefined ? value : writeField(value, field);
    if (result !== undefined && result !== null) written.set(name, result);
  }
  for (const [name, field] of shape) {
    if (!written.has(name)) setAbsent(written, name, field);
  }
  return Object.fromEntries(written);
}

/** @returns undefined when the field is as good as absent */
function writeField(value: unknown, field: FieldShape): unknown {
  if (value === null || value === undefined) return undefined;
  const result = field.shape === undefined ? value : writeShaped(value, field.shape);
  return field.presence === "filled" && isEmpty(result) ? undefined : result;
}

function writeShaped(value: unknown, shape: string): unknown {
  if (shape === "Quantity") return canonicalQuantity(value) ?? value;
  if (shape === "Quantities") return mapValues(value, (quantity) => canonicalQuantity(quantity) ?? quantity);
  if (shape === "Amounts") return mapValues(value, (amount) => canonicalResourceAmount(amount) ?? amount);
  if (shape === "Strings") return mapValues(value, (text) => text ?? "");
  if (Array.isArray(value)) return value.map((element: unknown) => writeShaped(element ?? {}, shape));
  return isJsonObject(value) ? writeObject(value, shapeNamed(shape)) : value;
}

function setAbsent(written: Map<string, unknown>, name: string, { presence, shape }: FieldShape): void {
  if (presence === "object") written.set(name, shape === "Quantity" ? "0" : writeObject({}, shapeNamed(shape ?? "")));
  else if (presence === "text") written.set(name, "");
  else if (presence === "zero") written.set(name, 0);
  else if (presence === "null") written.set(name, null);
}

function shapeNamed(name: string): ObjectShape {
  return TEMPLATE_SHAPES.get(name) ?? new Map();
}

function mapValues(value: unknown, change: (value: unknown) => unknown): unknown {
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member)])) : value;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) ? Object.keys(value).length === 0 : value === "" || value === 0 || value === false;
}
