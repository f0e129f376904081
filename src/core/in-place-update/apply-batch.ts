import type { Pod } from "../../api/pod.js";
import { toRfc3339Seconds } from "../values/timestamps.js";
import { own } from "../values/json-object.js";
import { flattenRefMetadata, mergeMetadataPatches } from "./metadata.js";
import { containerOf, statusOf } from "./pod-facts.js";
import { selectBatch } from "./select-batch.js";
import type { UpdateState } from "./state.js";
import type { MetadataPatch, TemplateChanges } from "./types.js";

/** What to write to the pod for one batch, and the state that says so. */
export interface AppliedBatch {
  readonly state: UpdateState;
  readonly metadata: MetadataPatch;
  readonly images: readonly { readonly name: string; readonly image: string }[];
}

export interface BatchOptions {
  readonly pod: Pod;
  readonly changes: TemplateChanges;
  readonly state: UpdateState;
  /** Containers that an earlier, unfinished update changed; they belong to this batch too. */
  readonly carried: readonly string[];
  readonly nowMs: number;
}

/**
 * Splits the changes into what is written now and what waits in the state's next maps, and adds the batch to the record.
 * Source: spec/in-place-update.md 1.9; a container that changes twice gets its image ID recorded anew (BUG-9).
 */
export function applyBatch({ pod, changes, state, carried, nowMs }: BatchOptions): AppliedBatch {
  const batch = new Set(selectBatch(pod, changes));
  const [imagesNow, imagesNext] = partition(changes.images, batch);
  const [valuesNow, valuesNext] = partition(changes.refMetadata, batch);
  const members = [...new Set([...batch, ...carried.filter((name) => containerOf(pod, name) !== undefined)])].sort();
  const waits = Object.keys(imagesNext).length + Object.keys(valuesNext).length > 0;
  return {
    metadata: mergeMetadataPatches(changes.metadata, flattenRefMetadata(valuesNow)),
    images: pod.spec.containers.flatMap(({ name }) => {
      const image = own(imagesNow, name);
      return image === undefined ? [] : [{ name, image }];
    }),
    state: {
      ...state,
      lastContainerStatuses: recordImages(pod, state, Object.keys(imagesNow)),
      nextContainerImages: imagesNext,
      nextContainerRefMetadata: valuesNext,
      requiredReady: waits ? members : [],
      batches: [...state.batches, { timestamp: toRfc3339Seconds(nowMs), containers: members }],
    },
  };
}

function partition<T>(map: Readonly<Record<string, T>>, names: ReadonlySet<string>): readonly [Record<string, T>, Record<string, T>] {
  const entries = Object.entries(map);
  return [
    Object.fromEntries(entries.filter(([name]) => names.has(name))),
    Object.fromEntries(entries.filter(([name]) => !names.has(name))),
  ];
}

function recordImages(pod: Pod, state: UpdateState, changed: readonly string[]): UpdateState["lastContainerStatuses"] {
  const recorded = changed.flatMap((name) => {
    const status = statusOf(pod, name);
    if (status === undefined) return [];
    // An earlier change of this image may take effect yet: an ID that is new then says nothing, only the right name does.
    const earlier = own(state.lastContainerStatuses, name);
    const mayChangeYet = earlier !== undefined && (earlier.imageID ?? status.imageID) === status.imageID;
    return [[name, status.imageID === "" || mayChangeYet ? {} : { imageID: status.imageID }] as const];
  });
  return Object.fromEntries([...Object.entries(state.lastContainerStatuses), ...recorded]);
}
