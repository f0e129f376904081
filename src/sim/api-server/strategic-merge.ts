import { isObject, type JsonObject, listOf } from "./json.js";

/** Lists of built-in kinds that are merged item by item, and the member that tells the items apart. All other lists are replaced. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  conditions: "type",
  env: "name",
  volumes: "name",
  volumeMounts: "mountPath",
  volumeDevices: "devicePath",
  ports: "containerPort",
  imagePullSecrets: "name",
  hostAliases: "ip",
  ownerReferences: "uid",
  podIPs: "ip",
  addresses: "type",
};
/** Lists of plain values that are merged as sets. */
const SETS: ReadonlySet<string> = new Set(["finalizers"]);

const DELETE_FROM_SET = "$deleteFromPrimitiveList/";

/**
 * Strategic merge patch, simplified: the merge keys are known by the list's name alone; `$retainKeys` and `$setElementOrder` are ignored.
 */
export function strategicMerge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  if (patch["$patch"] === "replace") return withoutDirectives(patch);
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith("$")) applyDirective(merged, name, value);
    else if (value === null) delete merged[name];
    else merged[name] = mergeMember(name, merged[name], value);
  }
  return merged;
}

function applyDirective(merged: Record<string, unknown>, name: string, value: unknown): void {
  if (!name.startsWith(DELETE_FROM_SET)) return;
  const member = name.slice(DELETE_FROM_SET.length);
  const gone = new Set(listOf(value));
  merged[member] = listOf(merged[member]).filter((item) => !gone.has(item));
}

function mergeMember(name: string, current: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) return strategicMerge(current, patch);
  if (SETS.has(name)) return [...new Set([...listOf(current), ...listOf(patch)])];
  const key = MERGE_KEYS[name];
  return key === undefined || !patch.every(isObject) ? patch : mergeList(listOf(current), patch, key);
}

/** Items that both have stay in their place; new ones come before what only the target has, as on the real server. */
function mergeList(current: readonly unknown[], patch: readonly JsonObject[], key: string): readonly unknown[] {
  if (patch.some((item) => item["$patch"] === "replace" && Object.keys(item).length === 1)) {
    return patch.filter((item) => item["$patch"] === undefined);
  }
  const placeOf = (item: JsonObject): number => current.findIndex((other) => isObject(other) && other[key] === item[key]);
  const rest = current.map((item, place) => ({ item, place })).filter(({ place }) => !patch.some((item) => placeOf(item) === place));
  const merged: unknown[] = [];
  for (const item of patch) {
    const place = placeOf(item);
    while (rest[0] !== undefined && rest[0].place < place) merged.push(rest.shift()?.item);
    if (item["$patch"] !== "delete") merged.push(strategicMerge(current[place] ?? {}, item));
  }
  return [...merged, ...rest.map(({ item }) => item)];
}

function withoutDirectives(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([name]) => !name.startsWith("$")));
}
