import type { Pod } from "../../../../src/api/pod.js";
import type { PodPatch, PodStatusPatch } from "../../../../src/core/in-place-update/types.js";

type Json = Record<string, unknown>;
const MERGE_KEYS: Readonly<Record<string, string>> = { containers: "name", conditions: "type" };

/** What the API server makes of a strategic merge patch of a pod, as far as our patches go. */
export function patchPod(pod: Pod, patch: PodPatch | PodStatusPatch): Pod {
  return mergeObjects(pod as unknown as Json, patch as unknown as Json) as unknown as Pod;
}

function mergeObjects(target: Json, patch: Json): Json {
  const result = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith("$deleteFromPrimitiveList/")) {
      const list = key.slice("$deleteFromPrimitiveList/".length);
      result.set(
        list,
        ((result.get(list) ?? []) as string[]).filter((name) => !(value as string[]).includes(name)),
      );
    } else if (value === null) result.delete(key);
    else result.set(key, mergeValues(result.get(key), value, key));
  }
  return Object.fromEntries(result);
}

function mergeValues(target: unknown, patch: unknown, key: string): unknown {
  if (key === "finalizers") return [...new Set([...((target ?? []) as string[]), ...(patch as string[])])];
  const mergeKey = MERGE_KEYS[key];
  if (Array.isArray(patch) && mergeKey !== undefined) return mergeLists((target ?? []) as Json[], patch as Json[], mergeKey);
  if (typeof patch === "object" && patch !== null && !Array.isArray(patch)) return mergeObjects((target ?? {}) as Json, patch as Json);
  return patch;
}

function mergeLists(target: readonly Json[], patch: readonly Json[], mergeKey: string): Json[] {
  const result = [...target];
  for (const element of patch) {
    const index = result.findIndex((candidate) => candidate[mergeKey] === element[mergeKey]);
    if (index < 0) result.push(mergeObjects({}, element));
    else result[index] = mergeObjects(result[index] ?? {}, element);
  }
  return result;
}
