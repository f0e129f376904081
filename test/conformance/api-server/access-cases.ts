import { type Identity, serviceAccountIdentity } from "../../../src/sim/api-server/access/identity.js";
import type { ReplyCase } from "./reply-cases.js";
import { cloneSet, get, NAMESPACE, nodeImage, nodePodRestart, patch, PATHS, post, put, remove, SET_SPEC } from "./requests.js";
import type { ApiRequest } from "./subjects.js";

const AGENT = serviceAccountIdentity({ namespace: "podmend-system", name: "podmend-agent" }, "n1");
const HOMELESS_AGENT = serviceAccountIdentity({ namespace: "podmend-system", name: "podmend-agent" });
const CONTROLLER = serviceAccountIdentity({ namespace: "podmend-system", name: "podmend-controller" });
const STRANGER: Identity = { username: "jane", groups: ["system:authenticated"], extra: {} };
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/podmend-system/leases";
const EVENTS = "/api/v1/namespaces/default/events";

const { cloneSets, nodeImages, nodePodRestarts, pods } = PATHS;
const as = (identity: Identity, requests: readonly ApiRequest[]): readonly ApiRequest[] =>
  requests.map((asked) => ({ ...asked, as: identity }));
const event = (kind: string, name: string): object => ({
  metadata: { name: `about-${name}`, namespace: "default" },
  involvedObject: { kind, name, apiVersion: "v1" },
  type: "Normal",
  reason: "Test",
  message: "test",
});
const statusOf = (collection: string, name: string): string => `${collection}/${name}/status`;
const dry = (path: string): string => `${path}?dryRun=All`;

/** Requests of those who may not do everything. Of granted ones, only the code is compared where `isGranted`. */
export const ACCESS_CASES: readonly ReplyCase[] = [
  {
    what: "an agent and its own node's objects",
    requests: [
      post(nodeImages, nodeImage({})),
      post(nodePodRestarts, nodePodRestart([])),
      ...as(AGENT, [
        get(`${nodeImages}?fieldSelector=metadata.name%3Dn1`),
        get(`${nodePodRestarts}/n1`),
        patch(dry(statusOf(nodeImages, "n1")), { status: { desired: 0 } }),
        patch(statusOf(nodeImages, "n1"), { status: { desired: 0 } }),
        patch(statusOf(nodePodRestarts, "n1"), { status: { observedGeneration: 1 } }),
      ]),
      remove(`${nodeImages}/n1`),
      remove(`${nodePodRestarts}/n1`),
    ],
  },
  {
    what: "an agent and another node's objects",
    requests: [
      post(nodeImages, nodeImage({}, "n2")),
      post(nodePodRestarts, nodePodRestart([], "n2")),
      ...as(AGENT, [
        patch(statusOf(nodeImages, "n2"), { status: { desired: 0 } }),
        patch(statusOf(nodePodRestarts, "n2"), { status: { observedGeneration: 1 } }),
      ]),
      ...as(HOMELESS_AGENT, [patch(statusOf(nodeImages, "n2"), { status: { desired: 0 } })]),
      ...as(AGENT, [patch(statusOf(nodeImages, "n2"), { status: {} }), patch(statusOf(nodeImages, "none"), { status: {} })]),
      remove(`${nodeImages}/n2`),
      remove(`${nodePodRestarts}/n2`),
    ],
  },
  {
    what: "an agent and everything else",
    requests: as(AGENT, [
      patch(`${nodeImages}/n1`, { spec: {} }),
      patch(`${nodePodRestarts}/n1`, { spec: {} }),
      put(statusOf(nodeImages, "n1"), {}),
      get(`${nodeImages}/n1`),
      remove(`${nodeImages}/n1`),
      remove(nodeImages),
      get("/api/v1/pods"),
      get(pods),
      get(`${pods}?watch=true`),
      get(`${pods}?fieldSelector=metadata.name%3Dweb`),
      patch(`${pods}/any`, {}),
      patch(`${pods}/any/status`, {}),
      post(`${pods}/any/exec`, {}),
      get(`/api/v1/namespaces/${NAMESPACE}/secrets`),
      get(cloneSets),
      get("/api/v1/nodes/n1"),
      patch("/api/v1/nodes/n1/status", {}),
      post(`/api/v1/namespaces/${NAMESPACE}/events`, event("NodeImage", "n1")),
      get("/api/v1/namespaces/default/configmaps"),
      get("/apis/no.such/v1/things"),
    ]),
  },
  {
    what: "an agent and events",
    requests: [
      ...as(AGENT, [post(dry(EVENTS), event("NodeImage", "n2")), post(dry(EVENTS), event("Node", "n1"))]),
      ...as(HOMELESS_AGENT, [post(dry(EVENTS), event("NodeImage", "n1"))]),
    ],
  },
  {
    what: "the controller",
    requests: [
      post(cloneSets, cloneSet(SET_SPEC)),
      ...as(CONTROLLER, [
        get(cloneSets),
        get(`${cloneSets}/web`),
        patch(`${cloneSets}/web`, {}),
        patch(`${cloneSets}/web/status`, {}),
        remove(`${cloneSets}/web`),
        get(`${LEASES}/podmend-controller`),
        get(`${LEASES}/other`),
        remove(`${LEASES}/podmend-controller`),
        patch(statusOf(nodePodRestarts, "n1"), {}),
        remove(`${nodePodRestarts}/n1`),
        get(`/api/v1/namespaces/${NAMESPACE}/secrets`),
      ]),
      remove(`${cloneSets}/web`),
    ],
  },
  { what: "somebody without any role", requests: as(STRANGER, [get(pods), get(cloneSets), post(pods, {}), get("/api/v1/nothing")]) },
];
