import type { Resource } from "./meta.js";

/** Every kind that a process of ours reads or writes. */
export const PODS: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
export const NODES: Resource = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };
export const EVENTS: Resource = { group: "", version: "v1", plural: "events", kind: "Event", namespaced: true };
export const CONTROLLER_REVISIONS: Resource = {
  group: "apps",
  version: "v1",
  plural: "controllerrevisions",
  kind: "ControllerRevision",
  namespaced: true,
};
export const LEASES: Resource = { group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease", namespaced: true };
export const CLONE_SETS: Resource = {
  group: "apps.kruise.io",
  version: "v1alpha1",
  plural: "clonesets",
  kind: "CloneSet",
  namespaced: true,
};
export const IMAGE_PULL_JOBS: Resource = {
  group: "apps.kruise.io",
  version: "v1beta1",
  plural: "imagepulljobs",
  kind: "ImagePullJob",
  namespaced: true,
};
export const NODE_IMAGES: Resource = {
  group: "apps.kruise.io",
  version: "v1beta1",
  plural: "nodeimages",
  kind: "NodeImage",
  namespaced: false,
};
export const NODE_POD_RESTARTS: Resource = {
  group: "node.podmend.io",
  version: "v1alpha1",
  plural: "nodepodrestarts",
  kind: "NodePodRestart",
  namespaced: false,
};
