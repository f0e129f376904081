import type { StringMap } from "../../api/meta.js";
import { own } from "../values/json-object.js";
import type { MapPatch, MetadataPatch, MetadataValues } from "./types.js";

/** What turns one map into the other; undefined and null count as empty. */
export function diffMaps(before: StringMap | null | undefined, after: StringMap | null | undefined): MapPatch {
  const [old, wanted] = [before ?? {}, after ?? {}];
  const removed = Object.keys(old).filter((key) => own(wanted, key) === undefined);
  const set = Object.entries(wanted).filter(([key, value]) => own(old, key) !== value);
  return Object.fromEntries([...set, ...removed.map((key) => [key, null] as const)]);
}

/** Both patches in one; the later one wins. Empty maps and lists are left out. */
export function mergeMetadataPatches(first: MetadataPatch, second: MetadataPatch): MetadataPatch {
  const labels = mergeMaps(first.labels, second.labels);
  const annotations = mergeMaps(first.annotations, second.annotations);
  const removedFinalizers = second["$deleteFromPrimitiveList/finalizers"] ?? [];
  const finalizers = union(first.finalizers, second.finalizers).filter((name) => !removedFinalizers.includes(name));
  const dropped = union(first["$deleteFromPrimitiveList/finalizers"], removedFinalizers).filter((name) => !finalizers.includes(name));
  return {
    ...(isEmpty(labels) ? {} : { labels }),
    ...(isEmpty(annotations) ? {} : { annotations }),
    ...(finalizers.length === 0 ? {} : { finalizers }),
    ...(dropped.length === 0 ? {} : { "$deleteFromPrimitiveList/finalizers": dropped }),
  };
}

/** All containers' values as one patch: a label is pod-wide, so containers never disagree about one. */
export function flattenRefMetadata(refMetadata: Readonly<Record<string, MetadataValues>>): MetadataPatch {
  return Object.values(refMetadata).reduce(mergeMetadataPatches, {});
}

/** Whether the patch changes nothing. */
export function isEmptyMetadataPatch(patch: MetadataPatch): boolean {
  return isEmpty(mergeMetadataPatches(patch, {}));
}

function mergeMaps(first: MapPatch | undefined, second: MapPatch | undefined): MapPatch {
  return Object.fromEntries([...Object.entries(first ?? {}), ...Object.entries(second ?? {})]);
}

function union(first: readonly string[] | undefined, second: readonly string[] | undefined): readonly string[] {
  return [...new Set([...(first ?? []), ...(second ?? [])])];
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}
