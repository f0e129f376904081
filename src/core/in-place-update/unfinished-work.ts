import type { StringMap } from "../../api/meta.js";
import type { Pod } from "../../api/pod.js";
import { type GraceSpec, readGrace } from "./grace.js";
import { flattenRefMetadata, mergeMetadataPatches } from "./metadata.js";
import { isUnfinished } from "./progress.js";
import { readUpdateState, type UpdateState } from "./state.js";
import type { MetadataPatch } from "./types.js";

/** Changes that an earlier update has decided and not written to the pod yet. */
export interface PendingChanges {
  readonly images: StringMap;
  readonly metadata: MetadataPatch;
  readonly resources: boolean;
}

/** Changes that an earlier update has written and that are not known to have taken effect. */
export interface CarriedWork {
  readonly containers: readonly string[];
  readonly lastContainerStatuses: UpdateState["lastContainerStatuses"];
  readonly updateEnvFromMetadata: boolean;
  readonly updateImages: boolean;
}

const NOTHING_PENDING: PendingChanges = { images: {}, metadata: {}, resources: false };
const NOTHING_CARRIED: CarriedWork = { containers: [], lastContainerStatuses: {}, updateEnvFromMetadata: false, updateImages: false };

/**
 * What still waits for a grace period or a later batch, ours or OpenKruise's. Without it a newer revision would forget it, because
 * the pod's revision label has moved on already (BUG-1).
 * @returns undefined when something waits and the annotations do not tell what
 */
export function pendingChanges(pod: Pod): PendingChanges | undefined {
  const state = readUpdateState(pod);
  const grace = readGrace(pod);
  if (grace.type === "unreadable" || (state.type === "unreadable" && isUnfinished(pod, state))) return undefined;
  const inGrace = grace.type === "value" ? fromGrace(grace.value) : NOTHING_PENDING;
  const next = state.type === "value" ? fromNextBatch(state.value) : NOTHING_PENDING;
  return {
    images: Object.fromEntries([...Object.entries(inGrace.images), ...Object.entries(next.images)]),
    metadata: mergeMetadataPatches(inGrace.metadata, next.metadata),
    resources: inGrace.resources || next.resources,
  };
}

function fromGrace({ images, metadata, refMetadata, resources }: GraceSpec): PendingChanges {
  const all = mergeMetadataPatches(metadata, flattenRefMetadata(refMetadata));
  return { images, metadata: all, resources: Object.keys(resources).length > 0 };
}

function fromNextBatch(state: UpdateState): PendingChanges {
  return {
    images: state.nextContainerImages,
    metadata: flattenRefMetadata(state.nextContainerRefMetadata),
    resources: Object.keys(state.nextContainerResources).length > 0,
  };
}

/** What an unfinished update of the pod has changed already; a newer update takes it over, so that nobody stops watching it. */
export function carriedWork(pod: Pod): CarriedWork {
  const state = readUpdateState(pod);
  if (!isUnfinished(pod, state)) return NOTHING_CARRIED;
  if (state.type === "value") {
    const { lastContainerStatuses, updateEnvFromMetadata, updateImages, batches } = state.value;
    const containers = [...new Set(batches.flatMap((batch) => batch.containers))].sort();
    return containers.length === 0 ? NOTHING_CARRIED : { containers, lastContainerStatuses, updateEnvFromMetadata, updateImages };
  }
  // Nobody can tell what was changed: watch everything. An env that is right already costs no restart.
  const containers = pod.spec.containers.map(({ name }) => name).sort();
  return { ...NOTHING_CARRIED, containers, updateEnvFromMetadata: true };
}
