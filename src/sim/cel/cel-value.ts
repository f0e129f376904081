import { isObject } from "../api-server/json.js";

/** A JSON value as CEL sees it: whole numbers are integers, which are bigints there. */
export function celValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, celValue(member)])) : value;
}
