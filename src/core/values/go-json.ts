// What Go escapes although JSON does not ask for it; all of them are one UTF-16 unit.
const GO_ESCAPED = /[<>&\u2028\u2029]/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Writes a JSON value byte for byte as Go's encoding/json writes the same value held in maps and slices.
 *
 * Keys are sorted by their UTF-8 bytes; members that are undefined are left out, undefined elements become null. A lone
 * surrogate becomes U+FFFD, which is what Go's decoder had made of it.
 * Source: spec/in-place-update.md 1.12 and 10.
 */
export function goJson(value: unknown): string {
  if (typeof value === "string") return goText(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(",")}]`;
  if (typeof value === "object" && value !== null) return goObject(value);
  if (typeof value === "number") return goNumber(value);
  return typeof value === "boolean" ? String(value) : "null";
}

/** Orders two texts by their UTF-8 bytes, as Go compares strings; UTF-16 order differs above U+D7FF. */
export function compareGoStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return utf8Rank(left) - utf8Rank(right);
  }
  return a.length - b.length;
}

function goText(text: string): string {
  return JSON.stringify(text.replace(LONE_SURROGATE, "\ufffd")).replace(
    GO_ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function goObject(object: object): string {
  const members = Object.entries(object as Record<string, unknown>).filter(([, value]) => value !== undefined);
  members.sort(([a], [b]) => compareGoStrings(a, b));
  return `{${members.map(([key, value]) => `${goText(key)}:${goJson(value)}`).join(",")}}`;
}

function goNumber(value: number): string {
  // Go and JavaScript print numbers alike, exponents included; only a negative zero differs.
  return Number.isFinite(value) ? String(Object.is(value, -0) ? 0 : value) : "null";
}

// Surrogates stand for code points above every other UTF-16 unit.
function utf8Rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
