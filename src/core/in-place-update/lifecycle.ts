import { LIFECYCLE_STATE, LIFECYCLE_TIMESTAMP, POD_TEMPLATE_HASH } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { shortHash } from "../revision/revision-name.js";
import { toRfc3339Seconds } from "../values/timestamps.js";
import { conditionOf, lifecycleOf, revisionOf } from "./pod-facts.js";
import type { MetadataPatch } from "./types.js";

/** The labels and annotations that record a new lifecycle state. */
export function lifecyclePatch(state: string, nowMs: number): MetadataPatch {
  return { labels: { [LIFECYCLE_STATE]: state }, annotations: { [LIFECYCLE_TIMESTAMP]: toRfc3339Seconds(nowMs) } };
}

/**
 * What the labels of a pod should say once no update of it is in progress; empty when they say it.
 *
 * Hooks are a later issue, so every state that only waits for one goes straight to Normal. PreparingUpdate and PreparingDelete are
 * left to whoever decides about updates and deletions.
 * Source: spec/in-place-update.md 2.8 step 1.
 */
export function settledLabels(pod: Pod, nowMs: number): MetadataPatch {
  const hash = missingTemplateHash(pod);
  const lifecycle = isDueForNormal(pod) ? lifecyclePatch("Normal", nowMs) : {};
  return hash === undefined ? lifecycle : { ...lifecycle, labels: { ...lifecycle.labels, [POD_TEMPLATE_HASH]: hash } };
}

function isDueForNormal(pod: Pod): boolean {
  switch (lifecycleOf(pod)) {
    case "PreparingNormal":
      return conditionOf(pod, "PodScheduled")?.status === "True";
    case "Updating":
    case "Updated":
      return true;
    default:
      return false;
  }
}

function missingTemplateHash(pod: Pod): string | undefined {
  const revision = revisionOf(pod);
  return revision === undefined || pod.metadata.labels?.[POD_TEMPLATE_HASH] !== undefined ? undefined : shortHash(revision);
}
