import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { Pod } from "../../src/api/pod.js";
import { eventually } from "../support/eventually.js";
import {
  api,
  applyCloneSet,
  cloneSetsPath,
  dropNamespace,
  envFrom,
  eventReasons,
  isReady,
  makeNamespace,
  patchCloneSet,
  PODMEND_NAMESPACE,
  podmendPods,
  podsOf,
  settled,
  theOnly,
} from "./support/cluster.js";

jest.setTimeout(120_000);
let namespace: string;
beforeAll(async () => void (namespace = await makeNamespace("users")));
afterAll(() => dropNamespace(namespace));

// The characters are those that Go escapes in JSON and JavaScript does not.
const podSpec = {
  containers: [
    {
      name: "app",
      image: "lab.local/app:v1",
      env: [envFrom("CONFIG", "annotations", "config"), { name: "SHELL_LINE", value: "a && b > c" }],
    },
  ],
};

test("deleting a CloneSet with --cascade=orphan leaves pods and revisions, without owner", async () => {
  const set = { name: "orphans", namespace, replicas: 2, annotations: { config: "one", "9": "", "10": "" }, podSpec };
  await applyCloneSet(set);
  const before = await settled(set);
  await api.remove(`${cloneSetsPath(namespace, set.name)}?propagationPolicy=Orphan`);
  await eventually(async () => expect((await api.call("GET", cloneSetsPath(namespace, set.name))).status).toBe(404), 20_000, 200);
  const after = await podsOf(set);
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  expect(after.every(({ metadata }) => metadata.ownerReferences === undefined)).toBe(true);
});

test("deleting a namespace in the middle of a rollout is no reason to warn anybody", async () => {
  const doomed = await makeNamespace("doomed");
  const set = { name: "web", namespace: doomed, replicas: 3, annotations: { config: "one" }, podSpec };
  await applyCloneSet(set);
  await settled(set);
  await patchCloneSet(set, { template: { metadata: { annotations: { config: "two" } } } });
  await dropNamespace(doomed);
  await eventually(async () => expect((await api.call("GET", `/api/v1/namespaces/${doomed}`)).status).toBe(404), 30_000, 200);
  const lines = (await podmendLogLines()).filter((line) => line.includes(doomed) && /"level":"(warn|error)"/.test(line));
  expect(lines).toEqual([]);
});

test("a pod that no node has room for follows the template at once, and waits for nobody", async () => {
  const nodeSelector = { "no-node-has": "this" };
  const set = { name: "homeless", namespace, annotations: { config: "one" }, podSpec: { ...podSpec, nodeSelector } };
  await applyCloneSet(set);
  const before = theOnly(
    await eventually(() => podsOf(set).then((pods) => (pods.length === 1 ? pods : Promise.reject(new Error("no pod"))))),
  );
  await patchCloneSet(set, { template: { metadata: { annotations: { config: "two" } } } });
  await eventually(async () => {
    const after = theOnly(await podsOf(set));
    expect(after.metadata).toMatchObject({ uid: before.metadata.uid, annotations: { config: "two" } });
    expect(after.metadata.labels?.["lifecycle.apps.kruise.io/state"]).toBe("Normal");
    expect(after.status?.conditions).toContainEqual(expect.objectContaining({ type: "InPlaceUpdateReady", status: "True" }));
  });
  expect(isReady(theOnly(await podsOf(set)))).toBe(false);
  expect(await eventReasons(namespace, before.metadata.name)).not.toContain("InPlaceUpdateStuck");
});

async function podmendLogLines(): Promise<readonly string[]> {
  const pods: readonly Pod[] = [...(await podmendPods("controller")), ...(await podmendPods("agent"))];
  const logs = await Promise.all(
    pods.map(({ metadata }) => api.call("GET", `/api/v1/namespaces/${PODMEND_NAMESPACE}/pods/${metadata.name}/log?sinceSeconds=300`)),
  );
  return logs.flatMap(({ body }) => (typeof body === "string" ? body : JSON.stringify(body)).split("\n"));
}
