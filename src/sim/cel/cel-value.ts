import { isObject } from "../api-server/json.js";

/** A JSON value as CEL sees it: whole numbers are integers, which are bigints there. */
export function celValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return Array.from(value, celValue); // not map: it would make a list of the realm that this one is from
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, celValue(member)])) : value;
}
