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
  /** Annotations to write together with the conditions; nothing by themselves. */
  readonly statusAnnotations?: MapPatch;
  readonly metadata?: MetadataPatch;
  readonly images?: readonly { readonly name: string; readonly image: string }[];
}

/** The writes for these parts, each bound to the version of the pod that was looked at. */
export function podChange(pod: Pod, parts: ChangeParts): PodChange {
  const statusPatch = statusPatchOf(pod, parts);
  const patch = podPatchOf(pod, parts);
  return { ...(statusPatch === undefined ? {} : { statusPatch }), ...(patch === undefined ? {} : { patch }) };
}

/** Whether the change writes nothing. */
export function isEmptyChange(change: PodChange): boolean {
  return change.statusPatch === undefined && change.patch === undefined;
}

function statusPatchOf(pod: Pod, { conditions = [], statusAnnotations = {} }: ChangeParts): PodStatusPatch | undefined {
  if (conditions.length === 0) return undefined;
  const annotations = Object.keys(statusAnnotations).length === 0 ? {} : { annotations: statusAnnotations };
  return { metadata: { ...version(pod), ...annotations }, status: { conditions } };
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
