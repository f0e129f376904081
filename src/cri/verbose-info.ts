/** What we read from a verbose container status beside the status itself. */
export interface VerboseInfo {
  readonly sandboxId: string | undefined;
  /** The environment that the container's process was given; undefined if the runtime does not tell. */
  readonly env: ReadonlyMap<string, string> | undefined;
}

/**
 * Reads what containerd and CRI-O put under the key `info` of a verbose status, a JSON text of their own.
 *
 * `runtimeSpec.process.env` is what the OCI runtime was told, the image's own variables included; `config.envs` is only what
 * the kubelet asked for, and is taken where the former is absent. Of two entries with one name the later wins, as in runc.
 * @throws never: anything malformed reads as not told
 */
export function parseVerboseInfo(info: Readonly<Record<string, string>>): VerboseInfo {
  const root = parseObject(info["info"]);
  return { sandboxId: textIn(root, "sandboxID"), env: specEnv(root) ?? configEnv(root) };
}

function specEnv(root: JsonObject | undefined): ReadonlyMap<string, string> | undefined {
  const entries = objectIn(objectIn(root, "runtimeSpec"), "process")?.["env"];
  if (!isListOf(entries, isText)) return undefined;
  return new Map(entries.map(splitAssignment));
}

function configEnv(root: JsonObject | undefined): ReadonlyMap<string, string> | undefined {
  const entries = objectIn(root, "config")?.["envs"];
  if (!isListOf(entries, isKeyValue)) return undefined;
  // Go leaves out empty values.
  return new Map(entries.map(({ key, value }) => [key, value ?? ""]));
}

function splitAssignment(assignment: string): readonly [string, string] {
  const end = assignment.indexOf("=");
  return end < 0 ? [assignment, ""] : [assignment.slice(0, end), assignment.slice(end + 1)];
}

type JsonObject = Readonly<Record<string, unknown>>;

function parseObject(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // a runtime with another idea of this key
  }
}

function objectIn(parent: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = parent?.[key];
  return isObject(value) ? value : undefined;
}

function textIn(parent: JsonObject | undefined, key: string): string | undefined {
  const value = parent?.[key];
  return isText(value) ? value : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isKeyValue(value: unknown): value is { readonly key: string; readonly value?: string } {
  return isObject(value) && isText(value["key"]) && (value["value"] === undefined || isText(value["value"]));
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}
