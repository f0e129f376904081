/** An object of unknown members, read member by member. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The record's own value: names such as `constructor` are legal container names and annotation keys. Null counts as an empty record. */
export function own<T>(record: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined {
  return record !== undefined && record !== null && Object.hasOwn(record, key) ? record[key] : undefined;
}
