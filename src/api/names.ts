/** Label, annotation and condition names of the wire contract (spec/in-place-update.md 1.1), and the names of our own. */
export const IN_PLACE_UPDATE_READY = "InPlaceUpdateReady";
export const IN_PLACE_UPDATE_STATE = "apps.kruise.io/inplace-update-state";
export const IN_PLACE_UPDATE_STATE_LEGACY = "inplace-update-state";
export const IN_PLACE_UPDATE_GRACE = "apps.kruise.io/inplace-update-grace";
export const IN_PLACE_UPDATE_GRACE_LEGACY = "inplace-update-grace";
export const RUNTIME_CONTAINERS_META = "apps.kruise.io/runtime-containers-meta";
export const LIFECYCLE_STATE = "lifecycle.apps.kruise.io/state";
export const LIFECYCLE_TIMESTAMP = "lifecycle.apps.kruise.io/timestamp";
export const CONTROLLER_REVISION_HASH = "controller-revision-hash";
export const POD_TEMPLATE_HASH = "pod-template-hash";
export const REVISION_HASH = "controller.kubernetes.io/hash";
export const VOLUME_CLAIM_TEMPLATE_HASH = "kruise.io/cloneset-volumeclaimtemplate-hash";
export const SPECIFIED_DELETE = "apps.kruise.io/specified-delete";
export const CLONE_SET_INSTANCE_ID = "apps.kruise.io/cloneset-instance-id";
export const POD_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
export const DELETION_PROTECTION_FINALIZER = "apps.kruise.io/deletion-protection";
export const PULLING_IMAGE_BY = "apps.kruise.io/pulling-image-by";
export const FAKE_NODE_IMAGE = "apps.kruise.io/fake-nodeimage";
export const CONTAINER_PRIORITY_ENV = "KRUISE_CONTAINER_PRIORITY";
export const CONTAINER_BARRIER_ENV = "KRUISE_CONTAINER_BARRIER";
/** Environment variables that SidecarSet owns; they never count as env from metadata. */
export const SIDECAR_SET_VERSION_ENVS: readonly string[] = ["SIDECARSET_VERSION", "SIDECARSET_VERSION_ALT"];
export const PODMEND_NAMESPACE = "podmend-system";
