import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import {
  applyCloneSet,
  dropNamespace,
  envFrom,
  eventReasons,
  instances,
  makeNamespace,
  patchCloneSet,
  settled,
  theOnly,
} from "./support/cluster.js";
import { liveEnv } from "./support/processes.js";

jest.setTimeout(180_000);
let namespace: string;
beforeAll(async () => void (namespace = await makeNamespace("env")));
afterAll(() => dropNamespace(namespace));

const twoContainers = {
  containers: [
    { name: "app", image: "lab.local/app:v1", env: [envFrom("CONFIG", "annotations", "config")] },
    { name: "side", image: "lab.local/app:v1", command: ["sleep", "100000"] },
  ],
};

test("an annotation that one of two containers reads restarts that container once, and nothing else", async () => {
  const set = { name: "two", namespace, annotations: { config: "one" }, podSpec: twoContainers };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));
  expect((await liveEnv(before, "app")).get("CONFIG")).toBe("one");

  await patchCloneSet(set, { template: { metadata: { annotations: { config: "two" } } } });
  const after = theOnly(await settled(set));

  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.spec.nodeName).toBe(before.spec.nodeName);
  expect(after.status?.podIP).toBe(before.status?.podIP);
  expect(instances(after)["side"]).toEqual(instances(before)["side"]);
  expect(instances(after)["app"]?.id).not.toBe(instances(before)["app"]?.id);
  expect(instances(after)["app"]?.restartCount).toBe(1);
  expect((await liveEnv(after, "app")).get("CONFIG")).toBe("two");
  expect(await eventReasons(namespace, "two")).toEqual(expect.arrayContaining(["SuccessfulCreate", "SuccessfulUpdatePodInPlace"]));
});

test("the first annotation and a removed one are changes of env too", async () => {
  const podSpec = { containers: [{ name: "app", image: "lab.local/app:v1", env: [envFrom("CONFIG", "annotations", "config")] }] };
  const set = { name: "keys", namespace, podSpec };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));

  await patchCloneSet(set, { template: { metadata: { annotations: { config: "first" } } } });
  const first = theOnly(await settled(set));
  expect(first.metadata.uid).toBe(before.metadata.uid);
  expect((await liveEnv(first, "app")).get("CONFIG")).toBe("first");
  expect(instances(first)["app"]?.restartCount).toBe(1);

  await patchCloneSet(set, { template: { metadata: { annotations: null } } });
  const removed = theOnly(await settled(set, 90_000));
  expect(removed.metadata.uid).toBe(before.metadata.uid);
  expect((await liveEnv(removed, "app")).get("CONFIG") ?? "").toBe("");
  expect(instances(removed)["app"]?.restartCount).toBe(2);
});

test("values with newlines, blanks and non-ASCII letters arrive byte-exact, with one restart", async () => {
  const value = "  two\nlines, ümlaut & <tag>  ";
  const podSpec = { containers: [{ name: "app", image: "lab.local/app:v1", env: [envFrom("CONFIG", "annotations", "config")] }] };
  const set = { name: "bytes", namespace, annotations: { config: "plain" }, podSpec };
  await applyCloneSet(set);
  await settled(set);
  await patchCloneSet(set, { template: { metadata: { annotations: { config: value } } } });
  const after = theOnly(await settled(set));
  expect((await liveEnv(after, "app")).get("CONFIG")).toBe(value);
  expect(instances(after)["app"]?.restartCount).toBe(1);
});

test("an image without shell and env binary is updated all the same", async () => {
  const podSpec = { containers: [{ name: "app", image: "lab.local/noenv:v1", env: [envFrom("CONFIG", "labels", "config")] }] };
  const set = { name: "noenv", namespace, labels: { config: "one" }, podSpec };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));
  await patchCloneSet(set, { template: { metadata: { labels: { config: "two" } } } });
  const after = theOnly(await settled(set));
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect((await liveEnv(after, "app")).get("CONFIG")).toBe("two");
  expect(instances(after)["app"]?.restartCount).toBe(1);
});

test("image and env of one container together cost one restart", async () => {
  const podSpec = { containers: [{ name: "app", image: "lab.local/app:v1", env: [envFrom("CONFIG", "annotations", "config")] }] };
  const set = { name: "both", namespace, annotations: { config: "one" }, podSpec };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));
  const containers = [{ name: "app", image: "lab.local/app:v2", env: [envFrom("CONFIG", "annotations", "config")] }];
  await patchCloneSet(set, { template: { metadata: { annotations: { config: "two" } }, spec: { containers } } });
  const after = theOnly(await settled(set));
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.spec.containers[0]?.image).toBe("lab.local/app:v2");
  expect((await liveEnv(after, "app")).get("CONFIG")).toBe("two");
  expect(instances(after)["app"]?.restartCount).toBe(1);
});
