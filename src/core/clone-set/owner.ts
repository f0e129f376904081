import type { CloneSet } from "../../api/clone-set.js";
import type { KubeObject, OwnerReference } from "../../api/meta.js";

const GROUP_PREFIX = "apps.kruise.io/";
const API_VERSION = "apps.kruise.io/v1alpha1";

/** The reference that everything a CloneSet owns carries. */
export function ownerReferenceTo(cloneSet: CloneSet): OwnerReference {
  return {
    apiVersion: API_VERSION,
    kind: "CloneSet",
    name: cloneSet.metadata.name,
    uid: cloneSet.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The CloneSet, of whatever version, that controls the object. */
export function owningCloneSet(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(
    ({ controller, kind, apiVersion }) => controller === true && kind === "CloneSet" && apiVersion.startsWith(GROUP_PREFIX),
  );
}
