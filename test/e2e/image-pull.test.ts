import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { ImagePullJob } from "../../src/api/image-pull-job.js";
import { eventually } from "../support/eventually.js";
import { api, dropNamespace, eventsAbout, inNode, makeNamespace, nodeNames } from "./support/cluster.js";

jest.setTimeout(180_000);
let namespace: string;
beforeAll(async () => void (namespace = await makeNamespace("pull")));
afterAll(() => dropNamespace(namespace));

const jobsPath = (name = ""): string =>
  `/apis/apps.kruise.io/v1beta1/namespaces/${namespace}/imagepulljobs${name === "" ? "" : `/${name}`}`;

async function pull(name: string, spec: object): Promise<void> {
  await api.create(jobsPath(), { apiVersion: "apps.kruise.io/v1beta1", kind: "ImagePullJob", metadata: { name, namespace }, spec });
}

async function completed(name: string, timeoutMs = 60_000): Promise<ImagePullJob> {
  return eventually(
    async () => {
      const job = await api.get<ImagePullJob>(jobsPath(name));
      expect(job.status?.completionTime).toBeDefined();
      return job;
    },
    timeoutMs,
    50,
  );
}

/** Digest of an image on a node, as its runtime lists it; undefined if it has none. */
async function digestOn(node: string, reference: string): Promise<string | undefined> {
  const listed = await inNode(node, ["ctr", "-n", "k8s.io", "images", "ls", `name==${reference}`]);
  return /sha256:[0-9a-f]{64}/.exec(listed)?.[0];
}

test("an image that no node has is on every node afterwards, with one digest", async () => {
  const reference = "lab.local/many-layers:v1";
  const nodes = await nodeNames();
  for (const node of nodes) await inNode(node, ["ctr", "-n", "k8s.io", "images", "rm", "--sync", reference]);
  for (const node of nodes) expect(await digestOn(node, reference)).toBeUndefined();

  await pull("fresh", { image: reference, parallelism: 1, completionPolicy: { type: "Always", ttlSecondsAfterFinished: 300 } });
  const { status } = await completed("fresh");
  expect(status).toMatchObject({ desired: nodes.length, succeeded: nodes.length, failed: 0, active: 0, message: "job has completed" });
  const digests = await Promise.all(nodes.map((node) => digestOn(node, reference)));
  expect(digests[0]).toMatch(/^sha256:/);
  expect(new Set(digests).size).toBe(1);
});

test("a missing image fails with its reason on each node, while another job goes on", async () => {
  const nodes = await nodeNames();
  const pullPolicy = { backoffLimit: 0, timeoutSeconds: 20 };
  const completionPolicy = { type: "Always", activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 300 };
  await pull("missing", { image: "lab.local/none:v1", parallelism: 2, pullPolicy, completionPolicy });
  await pull("other", { image: "lab.local/app:v2", parallelism: 2, pullPolicy, completionPolicy });
  expect((await completed("other")).status).toMatchObject({ succeeded: nodes.length, failed: 0 });
  const { status } = await completed("missing");
  expect(status).toMatchObject({ desired: nodes.length, succeeded: 0, failed: nodes.length });
  expect([...(status?.failedNodes ?? [])].sort()).toEqual(nodes);
  const events = await eventually(async () => {
    const found = (await eventsAbout(namespace, "missing")).filter(({ reason }) => reason === "PullImageFailed");
    expect(found.length).toBeGreaterThan(0);
    return found;
  });
  expect(events[0]?.message).toContain("lab.local/none:v1");
});

test("a finished job and its tags go after their time to live", async () => {
  await pull("short", { image: "lab.local/app:v1", parallelism: 2, completionPolicy: { type: "Always", ttlSecondsAfterFinished: 1 } });
  await eventually(async () => expect((await api.call("GET", jobsPath("short"))).status).toBe(404), 30_000, 100);
});

test("pull secrets are refused with a message that names the field", async () => {
  await pull("secret", { image: "lab.local/app:v1", pullSecrets: ["registry"], completionPolicy: { type: "Always" } });
  await eventually(async () => {
    const { status } = await api.get<ImagePullJob>(jobsPath("secret"));
    expect(status?.message).toContain("pullSecrets");
  }, 20_000);
});

test("a job that breaks the schema is refused by the API server, which names the field", async () => {
  const job = {
    apiVersion: "apps.kruise.io/v1beta1",
    kind: "ImagePullJob",
    metadata: { name: "bad", namespace },
    spec: { parallelism: "-1" },
  };
  const reply = await api.call("POST", jobsPath(), { body: job });
  expect(reply.status).toBe(422);
  expect(JSON.stringify(reply.body)).toContain("spec.image");
});
