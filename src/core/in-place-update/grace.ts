import type { StringMap } from "../../api/meta.js";
import { IN_PLACE_UPDATE_GRACE, IN_PLACE_UPDATE_GRACE_LEGACY } from "../../api/names.js";
import type { Pod } from "../../api/pod.js";
import { goJson } from "../values/go-json.js";
import { type JsonObject, own } from "../values/json-object.js";
import { type Decoded, decodeJson, readFlag, readList, readMap, readObject, readText } from "./decode.js";
import { isEmptyMetadataPatch } from "./metadata.js";
import { readMetadataValues, writeMetadataValues } from "./state.js";
import { mapJson, structJson } from "./struct-json.js";
import type { MapPatch, MetadataPatch, MetadataValues } from "./types.js";

/** A change that waits for the end of the grace period: the annotation `apps.kruise.io/inplace-update-grace`. */
export interface GraceSpec {
  readonly revision: string;
  readonly images: StringMap;
  readonly refMetadata: Readonly<Record<string, MetadataValues>>;
  /** Kept as it is: changing resources in place is not implemented yet. */
  readonly resources: Readonly<Record<string, unknown>>;
  readonly metadata: MetadataPatch;
  readonly updateEnvFromMetadata: boolean;
  readonly graceSeconds: number;
}

/** Reads the change that waits, from the current key or else the legacy one. Source: spec/in-place-update.md 1.3. */
export function readGrace(pod: Pod): Decoded<GraceSpec> {
  const annotations = pod.metadata.annotations;
  return decodeJson(own(annotations, IN_PLACE_UPDATE_GRACE) || own(annotations, IN_PLACE_UPDATE_GRACE_LEGACY), readSpec);
}

/** The annotation's text, byte for byte as OpenKruise writes it. */
export function writeGrace(spec: GraceSpec): string {
  return structJson([
    ["revision", goJson(spec.revision)],
    ["containerImages", mapJson(spec.images, goJson)],
    ["containerRefMetadata", mapJson(spec.refMetadata, writeMetadataValues)],
    ["containerResources", mapJson(spec.resources, goJson)],
    ["metaDataPatch", isEmptyMetadataPatch(spec.metadata) ? undefined : goJson(toBase64(goJson({ metadata: spec.metadata })))],
    ["updateEnvFromMetadata", spec.updateEnvFromMetadata ? "true" : undefined],
    ["graceSeconds", spec.graceSeconds === 0 ? undefined : goJson(spec.graceSeconds)],
  ]);
}

/** Whether the pod waits for the end of a grace period, readable or not. */
export function isInGrace(pod: Pod): boolean {
  return readGrace(pod).type !== "absent";
}

function readSpec(object: JsonObject): GraceSpec {
  const graceSeconds = object["graceSeconds"] ?? 0;
  if (typeof graceSeconds !== "number") throw new TypeError("graceSeconds is not a number");
  return {
    revision: readText(object["revision"], "revision"),
    images: readMap(object["containerImages"], "containerImages", readText),
    refMetadata: readMap(object["containerRefMetadata"], "containerRefMetadata", readMetadataValues),
    resources: readMap(object["containerResources"], "containerResources", (value) => value),
    metadata: readMetadataPatch(readText(object["metaDataPatch"] ?? "", "metaDataPatch")),
    updateEnvFromMetadata: readFlag(object["updateEnvFromMetadata"], "updateEnvFromMetadata"),
    graceSeconds,
  };
}

function readMetadataPatch(base64: string): MetadataPatch {
  if (base64 === "") return {};
  const patch = readObject(JSON.parse(fromBase64(base64)), "metaDataPatch");
  // The patch is one of a whole pod; a bare ObjectMeta is understood too, since writers of it exist in no public contract.
  const metadata = readObject(patch["metadata"] ?? patch, "metaDataPatch.metadata");
  const labels = readMap(metadata["labels"], "metaDataPatch labels", readTextOrNull);
  const annotations = readMap(metadata["annotations"], "metaDataPatch annotations", readTextOrNull);
  const finalizers = readList(metadata["finalizers"], "metaDataPatch finalizers", readText);
  const dropped = readList(metadata["$deleteFromPrimitiveList/finalizers"], "metaDataPatch finalizers", readText);
  return {
    ...ifFilled("labels", labels),
    ...ifFilled("annotations", annotations),
    ...(finalizers.length === 0 ? {} : { finalizers }),
    ...(dropped.length === 0 ? {} : { "$deleteFromPrimitiveList/finalizers": dropped }),
  };
}

function ifFilled(name: "labels" | "annotations", map: MapPatch): MetadataPatch {
  return Object.keys(map).length === 0 ? {} : { [name]: map };
}

function readTextOrNull(value: unknown, name: string): string | null {
  return value === null ? null : readText(value, name);
}

function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

function fromBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}
