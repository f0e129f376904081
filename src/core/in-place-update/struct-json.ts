import { compareGoStrings, goJson } from "../values/go-json.js";

/** A JSON object with its members in the given order, as Go writes a struct; a member whose text is undefined is left out. */
export function structJson(members: readonly (readonly [name: string, json: string | undefined])[]): string {
  const written = members.filter(([, json]) => json !== undefined);
  return `{${written.map(([name, json]) => `${goJson(name)}:${json}`).join(",")}}`;
}

/** A JSON object with sorted keys, as Go writes a map; undefined when the map is empty. */
export function mapJson<T>(map: Readonly<Record<string, T>>, write: (value: T) => string): string | undefined {
  const entries = Object.entries(map).sort(([a], [b]) => compareGoStrings(a, b));
  return entries.length === 0 ? undefined : `{${entries.map(([key, value]) => `${goJson(key)}:${write(value)}`).join(",")}}`;
}
