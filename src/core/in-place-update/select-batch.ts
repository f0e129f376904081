import type { Container, Pod } from "../../api/pod.js";
import { metadataEnvs } from "../values/env-from-metadata.js";
import { own } from "../values/json-object.js";
import { launchPriority } from "./launch-priority.js";
import { containerOf } from "./pod-facts.js";
import type { MetadataValues, TemplateChanges } from "./types.js";

/** Containers that restart because of these changes; sorted. */
export function changedContainers(changes: TemplateChanges): readonly string[] {
  return [...new Set([...Object.keys(changes.images), ...Object.keys(changes.refMetadata), ...changes.envContainers])].sort();
}

/**
 * The changed containers to change now; the others wait until these are ready.
 *
 * Containers without a launch priority go at once, of the others only the highest. A container that reads a label or annotation
 * which the batch is about to change must join it: metadata is pod-wide. Sorted.
 * Source: spec/in-place-update.md 1.9 step 3.
 */
export function selectBatch(pod: Pod, changes: TemplateChanges): readonly string[] {
  const changed = changedContainers(changes);
  const priorities = new Map(changed.map((name) => [name, launchPriority(containerOf(pod, name))]));
  const highest = Math.max(...[...priorities.values()].filter((priority) => priority !== undefined));
  const batch = new Set(changed.filter((name) => [undefined, highest].includes(priorities.get(name))));
  // What a removed key concerns cannot wait: removals are part of the first batch's metadata patch.
  const removedFor = changes.envContainers.filter((name) => own(changes.refMetadata, name) === undefined);
  for (const name of removedFor) batch.add(name);
  for (let before = -1; before !== batch.size; ) {
    before = batch.size;
    const values = [...batch].map((member) => own(changes.refMetadata, member) ?? {});
    for (const name of changed) if (values.some((value) => readsAnyOf(containerOf(pod, name), value))) batch.add(name);
  }
  return [...batch].sort();
}

function readsAnyOf(container: Container | undefined, values: MetadataValues): boolean {
  return container !== undefined && metadataEnvs(container).some(({ source, key }) => own(values[source], key) !== undefined);
}
