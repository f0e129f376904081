import type { IntOrString } from "../../api/meta.js";

const PERCENT = /^\d{1,9}%$/;

/**
 * The number that an "integer or percentage" field stands for.
 *
 * Not clamped: `"150%"` of 10 is 15, because a surge may exceed the total. A numeric string such as `"5"` is malformed.
 * @returns undefined when the value is malformed: negative, fractional, or a string other than digits and `%`
 * Source: spec/in-place-update.md 2.5.
 */
export function resolveIntOrPercent(value: IntOrString, total: number, rounding: "up" | "down"): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (typeof value !== "string" || !PERCENT.test(value)) return undefined;
  const exact = (Number(value.slice(0, -1)) * total) / 100;
  return rounding === "up" ? Math.ceil(exact) : Math.floor(exact);
}
