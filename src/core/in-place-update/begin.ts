import { CONTROLLER_REVISION_HASH, POD_TEMPLATE_HASH } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { shortHash } from "../revision/revision-name.js";
import { toRfc3339Seconds } from "../values/timestamps.js";
import { applyBatch } from "./apply-batch.js";
import { beginningChange } from "./change.js";
import { unreadyConditions } from "./conditions.js";
import { lifecyclePatch } from "./lifecycle.js";
import { mergeMetadataPatches } from "./metadata.js";
import { changedContainers } from "./select-batch.js";
import type { UpdateState } from "./state.js";
import type { MetadataPatch, PodChange, TemplateChanges } from "./types.js";
import { type CarriedWork, carriedWork } from "./unfinished-work.js";
import { graceAnnotations, graceRemoval, stateAnnotations } from "./update-annotations.js";

export interface BeginOptions {
  readonly pod: Pod;
  /** Of `planUpdate` for this very version of the pod. */
  readonly changes: TemplateChanges;
  /** Full name of the revision that the changes lead to. */
  readonly revision: string;
  /** How long the pod is out of service before its containers restart; ignored when none does. */
  readonly graceSeconds: number;
  readonly nowMs: number;
}

/**
 * The writes that start the update of one pod: out of service first if a container will restart, then labels, state annotation and
 * changes in one patch; with a grace period the changes wait in the grace annotation.
 * Source: spec/in-place-update.md 1.8; no unready time and no grace for plain metadata (BUG-12), unfinished work is taken over (BUG-1).
 */
export function beginUpdate(options: BeginOptions): PodChange {
  const { pod, changes, graceSeconds, nowMs } = options;
  const restarts = changedContainers(changes);
  const carried = carriedWork(pod);
  const conditions = restarts.length + carried.containers.length > 0 ? unreadyConditions(pod, nowMs) : [];
  const state = freshState(options, carried);
  if (graceSeconds > 0 && restarts.length > 0) {
    return beginningChange(pod, { conditions, metadata: mergeMetadataPatches(ownMetadata(options, state), graceMetadata(options)) });
  }
  const applied = applyBatch({ pod, changes, state: { ...state, batches: [] }, carried: carried.containers, nowMs });
  const metadata = mergeMetadataPatches(
    applied.metadata,
    mergeMetadataPatches({ annotations: graceRemoval(pod) }, ownMetadata(options, applied.state)),
  );
  return beginningChange(pod, { conditions, metadata, images: applied.images });
}

// During a grace period the record holds only what an earlier update has begun.
function freshState({ changes, revision, nowMs }: BeginOptions, carried: CarriedWork): UpdateState {
  const timestamp = toRfc3339Seconds(nowMs);
  return {
    revision,
    updateTimestamp: timestamp,
    lastContainerStatuses: carried.lastContainerStatuses,
    updateEnvFromMetadata: carried.updateEnvFromMetadata || changes.envContainers.length > 0,
    updateResources: false,
    updateImages: carried.updateImages || Object.keys(changes.images).length > 0,
    nextContainerImages: {},
    nextContainerRefMetadata: {},
    nextContainerResources: {},
    requiredReady: [],
    batches: carried.containers.length === 0 ? [] : [{ timestamp, containers: carried.containers }],
  };
}

function ownMetadata({ pod, revision, nowMs }: BeginOptions, state: UpdateState): MetadataPatch {
  const labels = { [CONTROLLER_REVISION_HASH]: revision, [POD_TEMPLATE_HASH]: shortHash(revision) };
  return mergeMetadataPatches(lifecyclePatch("Updating", nowMs), { labels, annotations: stateAnnotations(pod, state) });
}

function graceMetadata({ pod, changes, revision, graceSeconds }: BeginOptions): MetadataPatch {
  const { images, refMetadata, metadata, envContainers } = changes;
  const spec = { revision, images, refMetadata, resources: {}, metadata, updateEnvFromMetadata: envContainers.length > 0, graceSeconds };
  return { annotations: graceAnnotations(pod, spec) };
}
