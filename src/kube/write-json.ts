const ESCAPED_BY_GO = /[<>&\u2028\u2029]/g;

/**
 * Writes a body as the API server would write the same value itself: keys sorted, and escaped what Go escapes.
 *
 * The API server keeps some fields as bytes (`data` of a ControllerRevision) and writes them anew with patches of other fields. If the
 * bytes differ, it takes the field for changed, and where that is forbidden the patch fails, even the garbage collector's.
 */
export function writeJson(value: unknown): string {
  return write(value).replace(ESCAPED_BY_GO, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (value === undefined) return "null";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value as Readonly<Record<string, unknown>>).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(",")}}`;
}
