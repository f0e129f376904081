import type { Resource } from "../../api/meta.js";
import { CONTROLLER_REVISIONS, EVENTS, LEASES, NODES, PODS } from "../../api/resources.js";
import type { ObjectSchema } from "./schema/object-schema.js";

/** A kind as the model serves it. */
export interface ServedKind extends Resource {
  /** Status is written by its own subresource only. */
  readonly hasStatus: boolean;
  /** False for custom resources: they need apiVersion and kind, and strategic merge patch is refused (415). */
  readonly isBuiltIn: boolean;
  /** A PUT must name the resourceVersion that it replaces. */
  readonly needsVersion: boolean;
  /** Changes of anything but metadata and status count up `metadata.generation`. */
  readonly hasGeneration: boolean;
  /** Of a custom resource; absent: anything goes. */
  readonly schema?: ObjectSchema;
}

const SECRETS: Resource = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
const CONFIG_MAPS: Resource = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };
const NAMESPACES: Resource = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };
const PERSISTENT_VOLUME_CLAIMS: Resource = {
  group: "",
  version: "v1",
  plural: "persistentvolumeclaims",
  kind: "PersistentVolumeClaim",
  namespaced: true,
};

/** The built-in kinds that we touch. */
export const BUILT_IN_KINDS: readonly ServedKind[] = [
  builtIn(PODS, { hasStatus: true, hasGeneration: true }),
  builtIn(NODES, { hasStatus: true }),
  builtIn(NAMESPACES, { hasStatus: true }),
  builtIn(PERSISTENT_VOLUME_CLAIMS, { hasStatus: true }),
  ...[EVENTS, SECRETS, CONFIG_MAPS, CONTROLLER_REVISIONS].map((resource) => builtIn(resource)),
  builtIn(LEASES, { needsVersion: true }),
];

/** What objects of a kind say that they are. */
export function apiVersionOf({ group, version }: Pick<ServedKind, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

/** A custom resource with a status subresource. */
export function customKind(resource: Resource): ServedKind {
  return { ...resource, hasStatus: true, hasGeneration: true, isBuiltIn: false, needsVersion: true };
}

function builtIn(resource: Resource, traits: Partial<ServedKind> = {}): ServedKind {
  return { ...resource, hasStatus: false, hasGeneration: false, isBuiltIn: true, needsVersion: false, ...traits };
}
