import type { StringMap } from "../../api/meta.js";
import { IN_PLACE_UPDATE_STATE, IN_PLACE_UPDATE_STATE_LEGACY } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { goJson } from "../values/go-json.js";
import { type JsonObject, own } from "../values/json-object.js";
import { type Decoded, decodeJson, readFlag, readList, readMap, readObject, readText } from "./decode.js";
import { mapJson, structJson } from "./struct-json.js";
import type { MetadataValues } from "./types.js";

/** How far the update of one pod has come: the annotation `apps.kruise.io/inplace-update-state`. */
export interface UpdateState {
  /** Name of the revision that the pod is brought to. */
  readonly revision: string;
  /** RFC 3339; the grace period counts from here. */
  readonly updateTimestamp: string;
  /** Image IDs of image-changed containers before the change. */
  readonly lastContainerStatuses: Readonly<Record<string, { readonly imageID?: string }>>;
  readonly updateEnvFromMetadata: boolean;
  readonly updateResources: boolean;
  readonly updateImages: boolean;
  readonly nextContainerImages: StringMap;
  readonly nextContainerRefMetadata: Readonly<Record<string, MetadataValues>>;
  /** Kept as it is: changing resources in place is not implemented yet. */
  readonly nextContainerResources: Readonly<Record<string, unknown>>;
  /** Containers that must be ready before the next batch; empty when nothing waits. */
  readonly requiredReady: readonly string[];
  readonly batches: readonly UpdateBatch[];
}

/** Containers that were changed together; none for a change of metadata that no container reads. */
export interface UpdateBatch {
  readonly timestamp: string;
  readonly containers: readonly string[];
}

/**
 * Reads how far the pod's update has come, from the current key or else the legacy one.
 * Source: spec/in-place-update.md 1.2.
 */
export function readUpdateState(pod: Pod): Decoded<UpdateState> {
  const annotations = pod.metadata.annotations;
  return decodeJson(own(annotations, IN_PLACE_UPDATE_STATE) || own(annotations, IN_PLACE_UPDATE_STATE_LEGACY), readState);
}

/** The annotation's text, byte for byte as OpenKruise writes it. */
export function writeUpdateState(state: UpdateState): string {
  return structJson([
    ["revision", goJson(state.revision)],
    ["updateTimestamp", goJson(state.updateTimestamp)],
    ["lastContainerStatuses", mapJson(state.lastContainerStatuses, writeLastStatus) ?? "null"],
    ["updateEnvFromMetadata", state.updateEnvFromMetadata ? "true" : undefined],
    ["updateResources", state.updateResources ? "true" : undefined],
    ["updateImages", state.updateImages ? "true" : undefined],
    ["nextContainerImages", mapJson(state.nextContainerImages, goJson)],
    ["nextContainerRefMetadata", mapJson(state.nextContainerRefMetadata, writeMetadataValues)],
    ["nextContainerResources", mapJson(state.nextContainerResources, goJson)],
    ["preCheckBeforeNext", state.requiredReady.length === 0 ? undefined : goJson({ containersRequiredReady: state.requiredReady })],
    ["containerBatchesRecord", state.batches.length === 0 ? undefined : `[${state.batches.map(writeBatch).join(",")}]`],
  ]);
}

/** Whether something waits for a later batch. */
export function hasNextBatch(state: UpdateState): boolean {
  const { nextContainerImages, nextContainerRefMetadata, nextContainerResources } = state;
  return [nextContainerImages, nextContainerRefMetadata, nextContainerResources].some((map) => Object.keys(map).length > 0);
}

/** Labels and annotations of one container, read from any of the update's annotations. @throws {TypeError} naming the member */
export function readMetadataValues(value: unknown, name: string): MetadataValues {
  const object = readObject(value, name);
  const labels = readMap(object["labels"], `${name}.labels`, readText);
  const annotations = readMap(object["annotations"], `${name}.annotations`, readText);
  return {
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** The counterpart of `readMetadataValues`. */
export function writeMetadataValues(values: MetadataValues): string {
  return structJson([
    ["labels", mapJson(values.labels ?? {}, goJson)],
    ["annotations", mapJson(values.annotations ?? {}, goJson)],
  ]);
}

function readState(object: JsonObject): UpdateState {
  const preCheck = object["preCheckBeforeNext"];
  const required = preCheck === undefined || preCheck === null ? {} : readObject(preCheck, "preCheckBeforeNext");
  return {
    revision: readText(object["revision"], "revision"),
    updateTimestamp: readText(object["updateTimestamp"] ?? "", "updateTimestamp"),
    lastContainerStatuses: readMap(object["lastContainerStatuses"], "lastContainerStatuses", readLastStatus),
    updateEnvFromMetadata: readFlag(object["updateEnvFromMetadata"], "updateEnvFromMetadata"),
    updateResources: readFlag(object["updateResources"], "updateResources"),
    updateImages: readFlag(object["updateImages"], "updateImages"),
    nextContainerImages: readMap(object["nextContainerImages"], "nextContainerImages", readText),
    nextContainerRefMetadata: readMap(object["nextContainerRefMetadata"], "nextContainerRefMetadata", readMetadataValues),
    nextContainerResources: readMap(object["nextContainerResources"], "nextContainerResources", (value) => value),
    requiredReady: readList(required["containersRequiredReady"], "containersRequiredReady", readText),
    batches: readList(object["containerBatchesRecord"], "containerBatchesRecord", readBatch),
  };
}

function readLastStatus(value: unknown, name: string): { readonly imageID?: string } {
  const imageID = readObject(value, name)["imageID"] ?? "";
  return readText(imageID, `${name}.imageID`) === "" ? {} : { imageID: imageID as string };
}

function writeLastStatus(status: { readonly imageID?: string }): string {
  return structJson([["imageID", status.imageID === undefined ? undefined : goJson(status.imageID)]]);
}

function readBatch(value: unknown, name: string): UpdateBatch {
  const object = readObject(value, name);
  return {
    timestamp: readText(object["timestamp"] ?? "", `${name}.timestamp`),
    containers: readList(object["containers"], `${name}.containers`, readText),
  };
}

function writeBatch(batch: UpdateBatch): string {
  return structJson([
    ["timestamp", goJson(batch.timestamp)],
    ["containers", goJson(batch.containers)],
  ]);
}
