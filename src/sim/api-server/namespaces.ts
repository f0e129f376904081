import { ApiError, detailsOf, quoted } from "./api-error.js";
import { isObject, type JsonObject, type StoredObject, valueAt } from "./json.js";
import type { ServedKind } from "./served-kinds.js";

/** True for Namespace objects, whose deletion empties them first. */
export function isNamespace({ plural, group }: Pick<ServedKind, "plural" | "group">): boolean {
  return plural === "namespaces" && group === "";
}

/** A new Namespace with what the real server adds: its name as a label, and the finalizer that holds it until it is empty. */
export function newNamespace(object: StoredObject): StoredObject {
  const labels = { ...object.metadata.labels, "kubernetes.io/metadata.name": object.metadata.name };
  const spec = isObject(object["spec"]) ? object["spec"] : {};
  const metadata = { ...object.metadata, labels };
  return { ...object, metadata, spec: { finalizers: ["kubernetes"], ...spec }, status: { phase: "Active" } };
}

/** A Namespace whose deletion begins. */
export function terminating(object: StoredObject): StoredObject {
  const status: JsonObject = isObject(object["status"]) ? object["status"] : {};
  return { ...object, status: { ...status, phase: "Terminating" } };
}

export function isTerminating(namespace: StoredObject | undefined): boolean {
  return valueAt(namespace, "status.phase") === "Terminating";
}

/** The refusal of a new object in a namespace that is being deleted. */
export function namespaceTerminates({ plural, group }: ServedKind, name: string, namespace: string): ApiError {
  const named = { plural, group, name };
  const message = `${quoted(named)} is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`;
  const cause = { reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field: "metadata.namespace" };
  const details = { ...detailsOf(named), causes: [cause] };
  return new ApiError({ code: 403, reason: "Forbidden", message, details });
}
