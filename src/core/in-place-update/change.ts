import type { Pod } from "../../api/pod.js";
import { mergeMetadataPatches } from "./metadata.js";
import type { ConditionPatch, MapPatch, MetadataPatch, PodChange, PodPatch, PodStatusPatch } from "./types.js";

/** The same patch for the version of the pod that an earlier write of the same change returned. */
export function withResourceVersion(patch: PodPatch, resourceVersion: string): PodPatch {
  return { ...patch, metadata: { ...patch.metadata, resourceVersion } };
}

/** What a change of one pod is made of; whatever is empty is not written. */
export interface ChangeParts {
  readonly conditions?: readonly ConditionPatch[];
  /** Labels and annotations to write together with the conditions; nothing by themselves. */
  readonly statusMetadata?: MetadataPatch;
  readonly metadata?: MetadataPatch;
  readonly images?: readonly { readonly name: string; readonly image: string }[];
}

/** The writes for these parts, each bound to the version of the pod that was looked at. */
export function podChange(pod: Pod, parts: ChangeParts): PodChange {
  const statusPatch = statusPatchOf(pod, parts);
  const patch = podPatchOf(pod, parts);
  return { ...(statusPatch === undefined ? {} : { statusPatch }), ...(patch === undefined ? {} : { patch }) };
}

/**
 * The change that begins an update. One write where only labels and annotations change: a kubelet that sees the pod go out of service
 * writes its status at once, and a second write would then be about an older version, again and again while many pods are updated.
 */
export function beginningChange(pod: Pod, parts: Omit<ChangeParts, "statusMetadata">): PodChange {
  const { conditions = [], metadata = {}, images = [] } = parts;
  const fields = Object.keys(mergeMetadataPatches(metadata, {}));
  const fitsStatus = images.length === 0 && fields.every((field) => field === "labels" || field === "annotations");
  if (conditions.length === 0 || !fitsStatus) return podChange(pod, parts);
  return podChange(pod, { conditions, statusMetadata: metadata });
}

/**
 * The change that ends an update: one write, since the API server takes labels and annotations of a pod together with its status.
 *
 * @param metadata what should be said in any case; `annotations` only if conditions change
 */
export function endingChange(
  pod: Pod,
  { conditions, metadata, annotations = {} }: Required<Pick<ChangeParts, "conditions" | "metadata">> & { readonly annotations?: MapPatch },
): PodChange {
  if (conditions.length === 0) return podChange(pod, { metadata });
  return podChange(pod, { conditions, statusMetadata: mergeMetadataPatches(metadata, { annotations }) });
}

/** Whether the change writes nothing. */
export function isEmptyChange(change: PodChange): boolean {
  return change.statusPatch === undefined && change.patch === undefined;
}

function statusPatchOf(pod: Pod, { conditions = [], statusMetadata = {} }: ChangeParts): PodStatusPatch | undefined {
  if (conditions.length === 0) return undefined;
  return { metadata: { ...version(pod), ...mergeMetadataPatches(statusMetadata, {}) }, status: { conditions } };
}

function podPatchOf(pod: Pod, { metadata = {}, images = [] }: ChangeParts): PodPatch | undefined {
  const changed = mergeMetadataPatches(metadata, {});
  if (Object.keys(changed).length === 0 && images.length === 0) return undefined;
  const spec = images.length === 0 ? {} : { spec: { containers: images } };
  return { metadata: { ...version(pod), ...changed }, ...spec };
}

function version(pod: Pod): { readonly resourceVersion?: string } {
  const { resourceVersion } = pod.metadata;
  return resourceVersion === undefined ? {} : { resourceVersion };
}
