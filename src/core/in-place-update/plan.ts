import type { Pod, PodTemplate } from "../../api/pod.js";
import { metadataEnvs } from "../values/env-from-metadata.js";
import { own } from "../values/json-object.js";
import { launchPriority } from "./launch-priority.js";
import { diffMaps, mergeMetadataPatches } from "./metadata.js";
import { containerOf, hasReadinessGate } from "./pod-facts.js";
import { changedContainers } from "./select-batch.js";
import { impossibleChange } from "./template-diff.js";
import type { MapPatch, MetadataPatch, MetadataValues, TemplateChanges, UpdatePlan } from "./types.js";
import { type PendingChanges, pendingChanges } from "./unfinished-work.js";

export interface PlanOptions {
  readonly pod: Pod;
  /** The template of the revision that the pod's label names; undefined when that revision is gone. */
  readonly from: PodTemplate | undefined;
  readonly to: PodTemplate;
  /** Whether containers restart for labels and annotations that their env reads; else those change without a restart. */
  readonly envFromMetadata: boolean;
}

/**
 * Plans how one running pod follows its template in place, or says why it cannot.
 *
 * Only what the template changed is touched: hand edits of other containers survive. What an unfinished update still owes the pod is
 * part of the plan; when its annotations are broken, everything that the template owns is compared with the pod instead.
 * Source: spec/in-place-update.md 1.6 with BUG-1, BUG-6 and BUG-10 mended.
 */
export function planUpdate(options: PlanOptions): UpdatePlan {
  const { pod, from, to } = options;
  if (from === undefined) return { possible: false, reason: "the revision that the pod is at no longer exists" };
  const impossible = impossibleChange(from, to);
  if (impossible !== undefined) return { possible: false, reason: impossible };
  const pending = pendingChanges(pod);
  if (pending?.resources === true) return unsupported("an earlier update still has to change container resources in place");
  const images = imageChanges(options, from, pending);
  const stranger = Object.keys(images).find((name) => containerOf(pod, name) === undefined);
  if (stranger !== undefined) return { possible: false, reason: `the pod has no container "${stranger}"` };
  const metadata = metadataChanges(options, from, pending);
  const changes = { images, ...(options.envFromMetadata ? splitByEnv(pod, metadata) : withoutEnv(metadata)) };
  return obstacle(pod, changes) ?? { possible: true, changes, restarts: changedContainers(changes) };
}

function obstacle(pod: Pod, changes: TemplateChanges): UpdatePlan | undefined {
  const [reader] = changes.envContainers;
  if (reader !== undefined && !hasReadinessGate(pod)) {
    return { possible: false, reason: `container "${reader}" reads changed metadata and the pod has no readiness gate InPlaceUpdateReady` };
  }
  const ending = changes.envContainers.find((name) => restartPolicyOf(pod, name) !== "Always");
  if (ending !== undefined) {
    return {
      possible: false,
      reason: `container "${ending}" reads changed metadata and would not come back: its restartPolicy is not Always`,
    };
  }
  const priorities = new Set(changedContainers(changes).map((name) => launchPriority(containerOf(pod, name))));
  priorities.delete(undefined);
  return priorities.size > 1 ? unsupported("container launch priority is not implemented yet") : undefined;
}

function restartPolicyOf({ spec }: Pod, container: string): string {
  return spec.containers.find(({ name }) => name === container)?.restartPolicy ?? spec.restartPolicy ?? "Always";
}

function unsupported(reason: string): UpdatePlan {
  return { possible: false, unsupported: true, reason };
}

function imageChanges({ pod, to }: PlanOptions, from: PodTemplate, pending: PendingChanges | undefined): Readonly<Record<string, string>> {
  const wanted = new Map(Object.entries(pending?.images ?? {}));
  to.spec.containers.forEach(({ name, image = "" }, index) => {
    const isTouched = pending === undefined || wanted.has(name) || from.spec.containers[index]?.image !== image;
    if (isTouched && image !== "") wanted.set(name, image);
  });
  return Object.fromEntries([...wanted].filter(([name, image]) => containerOf(pod, name)?.image !== image));
}

function metadataChanges({ pod, to }: PlanOptions, from: PodTemplate, pending: PendingChanges | undefined): MetadataPatch {
  const changed = {
    labels: diffMaps(from.metadata?.labels, to.metadata?.labels),
    annotations: diffMaps(from.metadata?.annotations, to.metadata?.annotations),
    ...finalizerChanges(from.metadata?.finalizers ?? [], to.metadata?.finalizers ?? []),
  };
  const owed =
    pending === undefined ? { labels: owedValues(pod, to, "labels"), annotations: owedValues(pod, to, "annotations") } : pending.metadata;
  return mergeMetadataPatches(owed, changed);
}

function owedValues(pod: Pod, to: PodTemplate, map: "labels" | "annotations"): MapPatch {
  return Object.fromEntries(Object.entries(to.metadata?.[map] ?? {}).filter(([key, value]) => own(pod.metadata[map], key) !== value));
}

function finalizerChanges(before: readonly string[], after: readonly string[]): MetadataPatch {
  return {
    finalizers: after.filter((name) => !before.includes(name)),
    "$deleteFromPrimitiveList/finalizers": before.filter((name) => !after.includes(name)),
  };
}

type MetadataChanges = Omit<TemplateChanges, "images">;

function withoutEnv(metadata: MetadataPatch): MetadataChanges {
  return { metadata, refMetadata: {}, envContainers: [] };
}

/** Takes the values that some container's env reads out of the plain patch; removed keys stay there and restart their readers. */
function splitByEnv(pod: Pod, metadata: MetadataPatch): MetadataChanges {
  const read: Record<"labels" | "annotations", Set<string>> = { labels: new Set(), annotations: new Set() };
  const refMetadata = new Map<string, MetadataValues>();
  const envContainers = new Set<string>();
  for (const container of pod.spec.containers) {
    for (const { source, key } of metadataEnvs(container)) {
      const value = own(metadata[source], key);
      if (value === undefined) continue;
      envContainers.add(container.name);
      if (value === null) continue;
      read[source].add(key);
      const values = refMetadata.get(container.name) ?? {};
      refMetadata.set(container.name, { ...values, [source]: { ...values[source], [key]: value } });
    }
  }
  return {
    metadata: mergeMetadataPatches(
      { ...metadata, labels: without(metadata.labels, read.labels), annotations: without(metadata.annotations, read.annotations) },
      {},
    ),
    refMetadata: Object.fromEntries(refMetadata),
    envContainers: [...envContainers].sort(),
  };
}

function without(map: MapPatch | undefined, keys: ReadonlySet<string>): MapPatch {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !keys.has(key)));
}
