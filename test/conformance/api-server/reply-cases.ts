import {
  cloneSet,
  get,
  imagePullJob,
  JSON_PATCH,
  nodeImage,
  nodePodRestart,
  patch,
  PATHS,
  pod,
  post,
  put,
  remove,
  SET_SPEC,
  SET_STATUS,
  STRATEGIC,
} from "./requests.js";
import type { ApiRequest } from "./subjects.js";

/** Requests whose replies, one after the other, must be equal. What one leaves behind it removes. */
export interface ReplyCase {
  readonly what: string;
  readonly requests: readonly ApiRequest[];
}

const { cloneSets, configMaps, controllerRevisions, imagePullJobs, nodeImages, nodePodRestarts, pods } = PATHS;
const requestsOf = (requests: unknown): unknown => [{ namespace: "a", name: "b", uid: "u", requests }];
const stop = { id: "a", container: "c", containerID: "containerd://x" };
const watched = { id: "a", container: "c", observe: true };

const SET_SPECS: Readonly<Record<string, unknown>> = {
  "nothing in it": {},
  "the least": SET_SPEC,
  "a negative number": { ...SET_SPEC, replicas: -1 },
  "text for a number": { ...SET_SPEC, replicas: "x" },
  "a fraction": { ...SET_SPEC, replicas: 1.5 },
  "too large a number": { ...SET_SPEC, replicas: 3_000_000_000 },
  "null for what has a default": { ...SET_SPEC, replicas: null },
  "null for what has none": { ...SET_SPEC, minReadySeconds: null },
  "a word that is not allowed": { ...SET_SPEC, updateStrategy: { type: "Sometimes" } },
  "a malformed percentage": { ...SET_SPEC, updateStrategy: { maxUnavailable: "x%" } },
  "neither number nor text": { ...SET_SPEC, updateStrategy: { maxUnavailable: true } },
  "a negative number or percentage": { ...SET_SPEC, updateStrategy: { maxUnavailable: -1 } },
  "unknown fields": { ...SET_SPEC, bogus: 1, template: { ...SET_SPEC.template, odd: { x: 1 } } },
  "a number for an object": { selector: 5, template: SET_SPEC.template },
  "a number among objects": { ...SET_SPEC, volumeClaimTemplates: [1] },
  "a number among texts": { ...SET_SPEC, scaleStrategy: { podsToDelete: ["a", 1] } },
  "text for an object": { ...SET_SPEC, template: "x" },
  "a number in a map of texts": { ...SET_SPEC, selector: { matchLabels: { a: 5 } } },
  "text for a boolean": { ...SET_SPEC, lifecycle: { preDelete: { markPodNotReady: "yes" } } },
};

const RESTARTS: Readonly<Record<string, unknown>> = {
  "neither an ID nor a watch": [{ id: "a", container: "c" }],
  "a malformed ID": [{ ...stop, containerID: "x" }],
  "a stop": [stop],
  "a watch that runs preStop": [{ ...watched, runPreStop: true }],
  "the same id twice": [watched, { ...watched, container: "d" }],
  "texts too short and too long": [{ ...watched, id: "", container: "c".repeat(70) }],
  "no id": [{ container: "c" }],
  "a hash below zero": [{ ...watched, untilPlainHash: -1 }],
  "a stop until a hash": [{ ...stop, untilPlainHash: 1 }],
  "a condition without hash": [{ ...stop, stopWhile: {} }],
  "too many": Array.from({ length: 17 }, (_, index) => ({ ...watched, id: `a${String(index)}` })),
};

const JOBS: Readonly<Record<string, unknown>> = {
  "a malformed image": { image: "A B", completionPolicy: {} },
  "an empty image": { image: "", completionPolicy: {} },
  "no image": { completionPolicy: { type: "Sometimes" } },
  "a time to live for ever": { image: "a", completionPolicy: { type: "Never", ttlSecondsAfterFinished: 1 } },
  "text as parallelism": { image: "a", completionPolicy: {}, parallelism: "x" },
  "a negative parallelism": { image: "a", completionPolicy: {}, parallelism: -1 },
  "a deadline below the timeout": { image: "a", completionPolicy: { activeDeadlineSeconds: 5 } },
  "a node twice": { image: "a", completionPolicy: {}, selector: { names: ["a", "a"] } },
  "names and labels": { image: "a", completionPolicy: {}, selector: { names: ["a"], matchLabels: { a: "b" } } },
  "two selectors": { image: "a", completionPolicy: {}, selector: {}, podSelector: {} },
};

const IMAGES: Readonly<Record<string, unknown>> = {
  "an empty name": { "": { tags: [] } },
  "no tags": { a: {} },
  "a tag twice": { a: { tags: [{ tag: "x" }, { tag: "x" }] } },
  "a malformed time": { a: { tags: [{ tag: "x", version: -1, createdAt: "yesterday" }] } },
  "too many": Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`i${String(index)}`, { tags: [] }])),
};

const created = (kind: string, collection: string, bodies: Readonly<Record<string, object>>): readonly ReplyCase[] =>
  Object.entries(bodies).map(([what, body]) => {
    const { name } = (body as { metadata: { name: string } }).metadata;
    return { what: `${kind} with ${what}`, requests: [post(collection, body), remove(`${collection}/${name}`)] };
  });
const mapped = (specs: Readonly<Record<string, unknown>>, make: (spec: unknown) => object): Readonly<Record<string, object>> =>
  Object.fromEntries(Object.entries(specs).map(([what, spec]) => [what, make(spec)]));

const SET = `${cloneSets}/web`;
const MAP = `${configMaps}/map`;
const POD = `${pods}/pod`;
const REVISION = `${controllerRevisions}/web-1`;
const RESTART = `${nodePodRestarts}/n1`;
const JOB = `${imagePullJobs}/job`;
const toleration = (key: string): object => ({ spec: { tolerations: [{ key, operator: "Exists" }] } });
const condition = { type: "A", status: "True" };
const wrong = (change: object): object => ({ ...cloneSet(SET_SPEC), ...change });

export const REPLY_CASES: readonly ReplyCase[] = [
  ...created("a CloneSet", cloneSets, mapped(SET_SPECS, cloneSet)),
  ...created(
    "a NodePodRestart",
    nodePodRestarts,
    mapped(RESTARTS, (asked) => nodePodRestart(requestsOf(asked))),
  ),
  ...created("an ImagePullJob", imagePullJobs, mapped(JOBS, imagePullJob)),
  ...created("a NodeImage", nodeImages, mapped(IMAGES, nodeImage)),
  ...created("a CloneSet", cloneSets, {
    "a malformed name": cloneSet(SET_SPEC, { name: "Web_X" }),
    "another kind": wrong({ kind: "Other" }),
    "another version": wrong({ apiVersion: "apps.kruise.io/v1beta1" }),
    "no spec": { apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", metadata: { name: "web" } },
  }),
  {
    what: "changes of a CloneSet",
    requests: [
      post(cloneSets, cloneSet(SET_SPEC)),
      patch(SET, { spec: { selector: { matchLabels: { app: "b" } } } }),
      patch(SET, { spec: { replicas: -2 } }),
      patch(SET, { spec: { replicas: null } }),
      patch(`${SET}/status`, { status: { replicas: 1 } }),
      patch(`${SET}/status`, { status: { ...SET_STATUS, odd: 1, conditions: [condition, { ...condition, status: "False" }] } }),
      patch(`${SET}/status`, { status: { ...SET_STATUS, conditions: [{ ...condition, lastTransitionTime: "x" }] } }),
      patch(`${SET}/status`, { status: { ...SET_STATUS, odd: 1, conditions: [condition] } }),
      patch(SET, { metadata: { labels: { a: "b" } } }),
      get(SET),
      put(SET, cloneSet({ ...SET_SPEC, replicas: 3 })),
      patch(SET, [{ op: "replace", path: "/spec/replicas", value: 4 }], JSON_PATCH),
      patch(SET, [{ op: "replace", path: "/spec/nope/x", value: 4 }], JSON_PATCH),
      patch(SET, [{ op: "test", path: "/spec/replicas", value: 9 }], JSON_PATCH),
      patch(SET, { metadata: { name: "other" } }),
      patch(SET, { kind: "Other" }),
      patch(SET, { apiVersion: "x/v1" }),
      patch(SET, { metadata: { uid: "other" } }),
      patch(SET, { metadata: { resourceVersion: "1" } }),
      patch(SET, { metadata: { finalizers: ["a.b/c"] } }),
      remove(SET),
      patch(SET, { metadata: { finalizers: ["a.b/c", "a.b/d"] } }),
      remove(SET),
      post(cloneSets, cloneSet(SET_SPEC)),
      patch(SET, { metadata: { finalizers: [] } }),
      get(SET),
    ],
  },
  {
    what: "the same pod twice in a NodePodRestart, and its status",
    requests: [
      post(nodePodRestarts, nodePodRestart([1, 2].map(() => ({ namespace: "a", name: "b", uid: "u", requests: [] })))),
      post(nodePodRestarts, nodePodRestart([])),
      patch(`${RESTART}/status`, { status: { podRestartStatuses: [{ uid: "u", results: [{ id: "a", phase: "Odd" }] }] } }),
      patch(`${RESTART}/status`, { status: { observedGeneration: "x" } }),
      patch(`${RESTART}/status`, { status: { observedGeneration: 1 } }),
      patch(`${RESTART}/status`, { status: null }),
      remove(RESTART),
    ],
  },
  {
    what: "the pull secrets of a job, which never change",
    requests: [
      post(imagePullJobs, imagePullJob({ image: "a", completionPolicy: {} })),
      patch(JOB, { spec: { pullSecrets: ["a"] } }),
      remove(JOB),
    ],
  },
  {
    what: "changes of a pod",
    requests: [
      post(pods, pod()),
      patch(POD, { spec: { restartPolicy: "Never" } }),
      ...[5, 6, null, -1].map((activeDeadlineSeconds) => patch(POD, { spec: { activeDeadlineSeconds } })),
      ...[
        { name: "a", image: "" },
        { name: "a", image: "x " },
        { name: "b", image: "x" },
      ].map((container) => patch(POD, { spec: { containers: [container] } }, STRATEGIC)),
      patch(POD, toleration("a")),
      patch(POD, toleration("b")),
      patch(POD, { spec: { terminationGracePeriodSeconds: 5 } }),
      patch(POD, { metadata: { labels: { a: "b" } } }),
      patch(`${POD}/status`, { status: { conditions: [condition] }, metadata: { annotations: { a: "1" } } }, STRATEGIC),
      patch(`${POD}/status`, { status: { phase: "Running", qosClass: "Burstable" } }),
      patch(POD, { metadata: { resourceVersion: "1" } }),
      patch(POD, { metadata: { uid: "other" } }),
      patch(POD, { metadata: { name: "other" } }),
      remove(POD, { preconditions: { uid: "other" } }),
      remove(POD, { preconditions: { resourceVersion: "1" } }),
      remove(POD),
      remove(POD),
    ],
  },
  {
    what: "the defaults of a pod, and how the time that it is given shrinks",
    requests: [
      post(
        pods,
        pod({
          nodeName: "n1",
          containers: [
            {
              name: "a",
              image: "a",
              resources: { limits: { cpu: "1", memory: "1Gi" } },
              ports: [{ containerPort: 80 }],
              livenessProbe: { httpGet: { port: 80 } },
              env: [{ name: "X", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            },
          ],
          volumes: [{ name: "v", configMap: { name: "x" } }],
        }),
      ),
      remove(POD),
      post(pods, pod()),
      remove(POD, { gracePeriodSeconds: 50 }),
      remove(POD, { gracePeriodSeconds: 10 }),
      patch(POD, { metadata: { finalizers: ["a.b/c"] } }),
      remove(POD, { gracePeriodSeconds: 0 }),
      remove(POD, { gracePeriodSeconds: 0 }),
    ],
  },
  {
    what: "a pod that a finalizer holds when its time is over",
    requests: [
      post(pods, pod({ nodeName: "n1" }, { finalizers: ["a.b/c"] })),
      remove(POD, { gracePeriodSeconds: 0 }),
      remove(POD),
      patch(POD, { metadata: { finalizers: null } }),
      get(POD),
    ],
  },
  {
    what: "a pod that takes no time to end",
    requests: [post(pods, pod({ nodeName: "n1", terminationGracePeriodSeconds: 0 })), remove(POD), get(POD)],
  },
  {
    what: "a ConfigMap",
    requests: [
      post(configMaps, { metadata: { name: "map", labels: {} }, data: {} }),
      post(configMaps, { metadata: { name: "map" } }),
      put(MAP, { metadata: { name: "map" }, data: { a: "1" } }),
      put(MAP, { metadata: { name: "map", resourceVersion: "1" }, data: { a: "1" } }),
      put(MAP, { metadata: { name: "map", uid: "other" } }),
      patch(MAP, { data: { a: "1" } }),
      patch(MAP, { metadata: { uid: "other" } }),
      patch(MAP, {}, "application/unknown"),
      patch(`${MAP}/status`, {}),
      remove(MAP, { preconditions: { uid: "other" } }),
      remove(MAP, { preconditions: { resourceVersion: "1" } }),
      remove(MAP),
      remove(MAP),
    ],
  },
  {
    what: "a ConfigMap that cannot be created",
    requests: [
      post(configMaps, { metadata: { name: "map", resourceVersion: "5" } }),
      post(configMaps, { metadata: { namespace: "other", name: "map" } }),
      post(configMaps, { metadata: {} }),
      post(configMaps, { metadata: { name: "Bad_Name" } }),
      ...[get(MAP), patch(MAP, {}), remove(MAP), put(MAP, { metadata: { name: "map" } })],
    ],
  },
  {
    what: "the data of a ControllerRevision",
    requests: [
      post(controllerRevisions, { metadata: { name: "web-1" }, data: { a: 1 }, revision: 1 }),
      patch(REVISION, { data: { a: 2 } }),
      patch(REVISION, { revision: 2 }),
      remove(REVISION),
    ],
  },
  {
    what: "requests that make no sense",
    requests: [
      get("/api/v1/pods?labelSelector=a%20in%20b"),
      get("/api/v1/pods?fieldSelector=spec.color%3Dred"),
      get(`${cloneSets}?fieldSelector=spec.replicas%3D1`),
      get("/api/v1/nothing"),
      get("/apis/no.such/v1/x"),
      patch("/api/v1/namespaces/shop", {}, "application/unknown"),
      post(`${pods}/pod`, {}),
      put(configMaps, {}),
    ],
  },
];
