import type { ApiRequest } from "./subjects.js";

export type Json = Readonly<Record<string, unknown>>;

export const NAMESPACE = "shop";
const HOME = `namespaces/${NAMESPACE}`;

/** Collections that the cases are about. */
export const PATHS = {
  pods: `/api/v1/${HOME}/pods`,
  configMaps: `/api/v1/${HOME}/configmaps`,
  controllerRevisions: `/apis/apps/v1/${HOME}/controllerrevisions`,
  cloneSets: `/apis/apps.kruise.io/v1alpha1/${HOME}/clonesets`,
  imagePullJobs: `/apis/apps.kruise.io/v1beta1/${HOME}/imagepulljobs`,
  nodeImages: "/apis/apps.kruise.io/v1beta1/nodeimages",
  nodePodRestarts: "/apis/node.podmend.io/v1alpha1/nodepodrestarts",
} as const;

export const MERGE = "application/merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";

export const post = (path: string, body: unknown): ApiRequest => ({ method: "POST", path, body });
export const put = (path: string, body: unknown): ApiRequest => ({ method: "PUT", path, body });
export const get = (path: string): ApiRequest => ({ method: "GET", path });
export const remove = (path: string, body?: unknown): ApiRequest => ({ method: "DELETE", path, ...(body === undefined ? {} : { body }) });
export const patch = (path: string, body: unknown, contentType: string = MERGE): ApiRequest => ({
  method: "PATCH",
  path,
  body,
  contentType,
});

const TEMPLATE = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "a:1" }] } };
/** The least that a CloneSet's spec has. */
export const SET_SPEC = { selector: { matchLabels: { app: "a" } }, template: TEMPLATE };
/** The least that its status has. */
export const SET_STATUS = { replicas: 1, readyReplicas: 1, availableReplicas: 0, updatedReplicas: 0, updatedReadyReplicas: 0 };

export const cloneSet = (spec: unknown, meta: object = {}): Json => ({
  apiVersion: "apps.kruise.io/v1alpha1",
  kind: "CloneSet",
  metadata: { name: "web", ...meta },
  spec,
});
export const nodePodRestart = (podRestarts: unknown, name = "n1"): Json => ({
  apiVersion: "node.podmend.io/v1alpha1",
  kind: "NodePodRestart",
  metadata: { name },
  spec: { podRestarts },
});
export const imagePullJob = (spec: unknown): Json => ({
  apiVersion: "apps.kruise.io/v1beta1",
  kind: "ImagePullJob",
  metadata: { name: "job" },
  spec,
});
export const nodeImage = (images: unknown, name = "n1"): Json => ({
  apiVersion: "apps.kruise.io/v1beta1",
  kind: "NodeImage",
  metadata: { name },
  spec: { images },
});
/** A pod that no scheduler finds a node for. */
export const pod = (spec: object = {}, meta: object = {}): Json => ({
  metadata: { name: "pod", ...meta },
  spec: { containers: [{ name: "a", image: "a:1" }], ...spec },
});
