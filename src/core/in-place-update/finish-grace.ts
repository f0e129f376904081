import type { Pod } from "../../api/pod.js";
import { LIFECYCLE_TIMESTAMP } from "../../api/names.js";
import { meansRevision } from "../revision/revision-name.js";
import { metadataEnvs } from "../values/env-from-metadata.js";
import { parseTimestampMs } from "../values/timestamps.js";
import { own } from "../values/json-object.js";
import { applyBatch } from "./apply-batch.js";
import { podChange } from "./change.js";
import { unreadyConditions } from "./conditions.js";
import { type GraceSpec, readGrace } from "./grace.js";
import { mergeMetadataPatches } from "./metadata.js";
import { revisionOf } from "./pod-facts.js";
import { readUpdateState, type UpdateState } from "./state.js";
import type { PodChange, RefreshDecision, TemplateChanges, Waited } from "./types.js";
import { graceRemoval, stateAnnotations } from "./update-annotations.js";

/**
 * The next step for a pod in its grace period: wait for its end, apply what waits, or drop it because the pod has moved on to another
 * revision.
 *
 * The period's beginning may have been written by another controller, whose clock was ahead of ours: it never lasts longer than its length
 * from when we saw it first.
 *
 * A missing or broken state annotation is rebuilt from the grace annotation instead of keeping the pod in grace for ever (BUG-7).
 * Source: spec/in-place-update.md 1.10 step 1.
 */
export function decideGrace(pod: Pod, { nowMs, waited }: { readonly nowMs: number; readonly waited: Waited | undefined }): RefreshDecision {
  const grace = readGrace(pod);
  if (grace.type !== "value") {
    const problem = grace.type === "unreadable" ? grace.problem : "it is empty";
    return { type: "broken", reason: "GraceUnreadable", message: `Cannot read the grace annotation: ${problem}` };
  }
  const spec = grace.value;
  if (!meansRevision(revisionOf(pod), spec.revision)) {
    return { type: "apply", step: "drop-grace", change: podChange(pod, { metadata: { annotations: graceRemoval(pod) } }) };
  }
  if (Object.keys(spec.resources).length > 0) {
    return {
      type: "broken",
      reason: "GraceUnreadable",
      message: "Cannot end the grace period: changing resources in place is not implemented yet",
    };
  }
  const state = stateOf(pod, spec);
  const sinceMs = parseTimestampMs(state.updateTimestamp);
  const graceMs = spec.graceSeconds * 1000;
  const seenForMs = waited !== undefined && waited.sinceMs === sinceMs ? waited.forMs : 0;
  const remainingMs = sinceMs === undefined ? 0 : Math.min(sinceMs + graceMs - nowMs, graceMs - seenForMs);
  if (remainingMs > 0) {
    const wait = { waitingFor: "grace", sinceMs: sinceMs ?? nowMs, message: "the grace period of the update has not passed" } as const;
    return { type: "wait", wait, requeueAfterMs: Math.ceil(remainingMs / 1000) * 1000 };
  }
  return { type: "apply", step: "finish-grace", change: finish(pod, spec, { state, nowMs }) };
}

function finish(pod: Pod, spec: GraceSpec, { state, nowMs }: { readonly state: UpdateState; readonly nowMs: number }): PodChange {
  const carried = state.batches.flatMap((batch) => batch.containers);
  const applied = applyBatch({ pod, changes: changesOf(pod, spec), state: { ...state, batches: [] }, carried, nowMs });
  const annotations = { ...graceRemoval(pod), ...stateAnnotations(pod, applied.state) };
  return podChange(pod, {
    conditions: unreadyConditions(pod, nowMs),
    metadata: mergeMetadataPatches(applied.metadata, { annotations }),
    images: applied.images,
  });
}

/** The state that the annotation holds, or what the grace annotation and the lifecycle timestamp know of it. */
function stateOf(pod: Pod, spec: GraceSpec): UpdateState {
  const state = readUpdateState(pod);
  if (state.type === "value") return state.value;
  return {
    revision: spec.revision,
    updateTimestamp: own(pod.metadata.annotations, LIFECYCLE_TIMESTAMP) ?? "",
    lastContainerStatuses: {},
    updateEnvFromMetadata: spec.updateEnvFromMetadata,
    updateResources: false,
    updateImages: Object.keys(spec.images).length > 0,
    nextContainerImages: {},
    nextContainerRefMetadata: {},
    nextContainerResources: {},
    requiredReady: [],
    batches: [],
  };
}

/** The grace annotation does not name the readers of removed keys; the pod's own spec does. */
function changesOf(pod: Pod, { images, refMetadata, metadata, updateEnvFromMetadata }: GraceSpec): TemplateChanges {
  const readers = pod.spec.containers.filter((container) =>
    metadataEnvs(container).some(({ source, key }) => updateEnvFromMetadata && own(metadata[source], key) !== undefined),
  );
  const envContainers = [...new Set([...Object.keys(refMetadata), ...readers.map(({ name }) => name)])].sort();
  return { images, refMetadata, metadata, envContainers };
}
