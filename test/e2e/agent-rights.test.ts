import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { KubeObject } from "../../src/api/meta.js";
import { eventually } from "../support/eventually.js";
import { messageOf, type Reply } from "./support/api.js";
import { api, dropNamespace, makeNamespace, podmendPods, type Json, type List } from "./support/cluster.js";
import { containerPid } from "./support/processes.js";

jest.setTimeout(60_000);
const MERGE_PATCH = "application/merge-patch+json";
let namespace: string;
let token: string;
let ownNode: string;
let otherNode: string;

beforeAll(async () => {
  namespace = await makeNamespace("rights");
  const [own, other] = await podmendPods("agent");
  if (own === undefined || other === undefined) throw new Error("want an agent on each of two nodes");
  [ownNode, otherNode] = [own.spec.nodeName ?? "", other.spec.nodeName ?? ""];
  token = readFileSync(`/proc/${await containerPid(own, "agent")}/root/run/secrets/kubernetes.io/serviceaccount/token`, "utf8");
});
afterAll(() => dropNamespace(namespace));

const dry = (path: string): string => `${path}${path.includes("?") ? "&" : "?"}dryRun=All`;
const asAgent = (method: string, path: string, body?: Json): Promise<Reply> =>
  api.call(method, path, {
    bearerToken: token,
    ...(body === undefined ? {} : { body, contentType: method === "PATCH" ? MERGE_PATCH : "application/json" }),
  });

const nodeImage = (node: string): string => `/apis/apps.kruise.io/v1beta1/nodeimages/${node}`;
const nodePodRestart = (node: string): string => `/apis/node.podmend.io/v1alpha1/nodepodrestarts/${node}`;

test("the agent's own objects can be read and their status written", async () => {
  for (const path of [nodeImage(""), nodePodRestart("")]) {
    const { status, body } = await asAgent("GET", `${path.slice(0, -1)}?fieldSelector=metadata.name%3D${ownNode}`);
    expect(status).toBe(200);
    expect((body as List<KubeObject>).items.map(({ metadata }) => metadata.name)).toEqual([ownNode]);
  }
  expect((await asAgent("PATCH", dry(`${nodeImage(ownNode)}/status`), { status: { desired: 0 } })).status).toBe(200);
  expect((await asAgent("PATCH", dry(`${nodePodRestart(ownNode)}/status`), { status: { observedGeneration: 1 } })).status).toBe(200);
});

test.each([
  { kind: "NodeImage", path: nodeImage, status: { desired: 0 } },
  { kind: "NodePodRestart", path: nodePodRestart, status: { observedGeneration: 1 } },
])("another node's $kind status is refused by the policy, which names both nodes", async ({ path, status }) => {
  const reply = await asAgent("PATCH", dry(`${path(otherNode)}/status`), { status });
  expect(reply.status).toBe(422);
  expect(messageOf(reply)).toContain("podmend-agent-own-node");
  expect(messageOf(reply)).toContain(ownNode);
  expect(messageOf(reply)).toContain(otherNode);
});

test("RBAC refuses everything else", async () => {
  const podPath = `/api/v1/namespaces/${namespace}/pods`;
  const refused: readonly (readonly [string, string, Json?])[] = [
    ["PATCH", nodeImage(ownNode), { spec: {} }],
    ["PATCH", nodePodRestart(ownNode), { spec: {} }],
    ["PUT", `${nodeImage(ownNode)}/status`, {}],
    ["DELETE", nodeImage(ownNode)],
    ["GET", "/api/v1/pods"],
    ["GET", podPath],
    ["PATCH", `${podPath}/any`, {}],
    ["PATCH", `${podPath}/any/status`, {}],
    ["POST", `${podPath}/any/exec`],
    ["GET", `/api/v1/namespaces/${namespace}/secrets`],
    ["GET", "/api/v1/namespaces/podmend-system/secrets"],
    ["GET", `/apis/apps.kruise.io/v1alpha1/namespaces/${namespace}/clonesets`],
    ["GET", `/apis/apps.kruise.io/v1beta1/namespaces/${namespace}/imagepulljobs`],
    ["GET", `/api/v1/nodes/${ownNode}`],
    ["PATCH", `/api/v1/nodes/${ownNode}/status`, {}],
    ["POST", `/api/v1/namespaces/${namespace}/events`, {}],
    ["GET", "/api/v1/namespaces/default/configmaps"],
  ];
  for (const [method, path, body] of refused) {
    const reply = await asAgent(method, path, body);
    expect([method, path, reply.status]).toEqual([method, path, 403]);
    expect(messageOf(reply)).toContain("cannot");
  }
});

const event = (kind: string, name: string): Json => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { generateName: "rights-", namespace: "default" },
  involvedObject: { kind, name, apiVersion: "v1" },
  type: "Normal",
  reason: "Test",
  message: "test",
});

test("events may be about the own node's objects only", async () => {
  const path = dry("/api/v1/namespaces/default/events");
  expect((await asAgent("POST", path, event("NodeImage", ownNode))).status).toBe(201);
  expect((await asAgent("POST", path, event("NodeImage", otherNode))).status).toBe(422);
  expect((await asAgent("POST", path, event("Node", ownNode))).status).toBe(422);
});

test("without the policy's binding the cross-node write succeeds: it is the policy that refuses", async () => {
  const path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
  const binding = await api.get<{ metadata: { name: string; labels: Json }; spec: Json }>(`${path}/podmend-agent-own-node`);
  const crossWrite = (): Promise<Reply> => asAgent("PATCH", dry(`${nodeImage(otherNode)}/status`), { status: { desired: 0 } });
  await api.remove(`${path}/podmend-agent-own-node`);
  try {
    await eventually(async () => expect((await crossWrite()).status).toBe(200), 30_000, 100);
  } finally {
    const { name, labels } = binding.metadata;
    await api.create(path, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name, labels },
      spec: binding.spec,
    });
  }
  await eventually(async () => expect((await crossWrite()).status).toBe(422), 30_000, 100);
});
