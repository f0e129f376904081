import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { CloneSet } from "../../src/api/clone-set.js";
import { eventually } from "../support/eventually.js";
import {
  api,
  applyCloneSet,
  cloneSetsPath,
  dropNamespace,
  envFrom,
  eventReasons,
  eventsAbout,
  instances,
  isReady,
  makeNamespace,
  patchCloneSet,
  podsOf,
  settled,
  theOnly,
} from "./support/cluster.js";

jest.setTimeout(180_000);
let namespace: string;
beforeAll(async () => void (namespace = await makeNamespace("inplace")));
afterAll(() => dropNamespace(namespace));

const app = (image: string, more: object = {}): object => ({ name: "app", image, ...more });

test("an image change keeps the pod and restarts the container once", async () => {
  const set = { name: "image", namespace, replicas: 2, podSpec: { containers: [app("lab.local/app:v1")] } };
  await applyCloneSet(set);
  const before = await settled(set);
  await patchCloneSet(set, { template: { spec: { containers: [app("lab.local/app:v2")] } } });
  const after = await settled(set);
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  for (const pod of after) {
    expect(pod.spec.containers[0]?.image).toBe("lab.local/app:v2");
    expect(instances(pod)["app"]?.restartCount).toBe(1);
    expect(pod.metadata.labels?.["lifecycle.apps.kruise.io/state"]).toBe("Normal");
  }
  expect(await eventReasons(namespace, "image")).toContain("SuccessfulUpdatePodInPlace");
});

test("a label that no env reads restarts nothing and leaves the pod ready", async () => {
  const set = { name: "label", namespace, podSpec: { containers: [app("lab.local/app:v1")] } };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));
  await patchCloneSet(set, { template: { metadata: { labels: { tier: "gold" } } } });
  const after = await eventually(async () => {
    const pod = theOnly(await podsOf(set));
    expect(isReady(pod)).toBe(true);
    expect(pod.metadata.labels?.["tier"]).toBe("gold");
    return pod;
  }, 20_000);
  await settled(set);
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(instances(after)).toEqual(instances(before));
  const ready = after.status?.conditions?.find(({ type }) => type === "Ready");
  expect(ready).toEqual(before.status?.conditions?.find(({ type }) => type === "Ready"));
});

test("a change that cannot be made in place recreates the pod", async () => {
  const set = { name: "recreate", namespace, podSpec: { containers: [app("lab.local/app:v1")] } };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));
  await patchCloneSet(set, { template: { spec: { containers: [app("lab.local/app:v1", { env: [{ name: "MODE", value: "new" }] })] } } });
  const after = theOnly(await settled(set));
  expect(after.metadata.uid).not.toBe(before.metadata.uid);
  expect(after.spec.containers[0]?.env).toEqual([{ name: "MODE", value: "new" }]);
  expect(await eventReasons(namespace, "recreate")).toEqual(expect.arrayContaining(["SuccessfulUpdatePodReCreate", "SuccessfulDelete"]));
});

test("a grace period keeps the pod unready and unchanged until it is over", async () => {
  const updateStrategy = { inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } };
  const set = { name: "grace", namespace, updateStrategy, podSpec: { containers: [app("lab.local/app:v1")] } };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));
  const startedMs = performance.now();
  await patchCloneSet(set, { template: { spec: { containers: [app("lab.local/app:v2")] } } });
  await eventually(async () => {
    const pod = theOnly(await podsOf(set));
    expect(isReady(pod)).toBe(false);
    expect(pod.metadata.annotations).toHaveProperty(["apps.kruise.io/inplace-update-grace"]);
    expect(pod.spec.containers[0]?.image).toBe("lab.local/app:v1");
  }, 4_000);
  const after = theOnly(await settled(set));
  expect(performance.now() - startedMs).toBeGreaterThan(4_900);
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.metadata.annotations).not.toHaveProperty(["apps.kruise.io/inplace-update-grace"]);
  expect(instances(after)["app"]?.restartCount).toBe(1);
});

test("partition, pause and maxUnavailable hold", async () => {
  const set = {
    name: "partition",
    namespace,
    replicas: 3,
    updateStrategy: { partition: 2, maxUnavailable: 1 },
    podSpec: { containers: [app("lab.local/app:v1")] },
  };
  await applyCloneSet(set);
  await settled(set);
  await patchCloneSet(set, { template: { spec: { containers: [app("lab.local/app:v2")] } } });
  const updated = async (): Promise<number> =>
    (await podsOf(set)).filter(({ spec }) => spec.containers[0]?.image === "lab.local/app:v2").length;
  await eventually(async () => expect(await updated()).toBe(1), 20_000);
  await eventually(async () => {
    const { status } = await api.get<CloneSet>(cloneSetsPath(namespace, "partition"));
    expect(status).toMatchObject({ updatedReplicas: 1, updatedReadyReplicas: 1, expectedUpdatedReplicas: 1, readyReplicas: 3 });
  }, 30_000);

  await patchCloneSet(set, { updateStrategy: { partition: 0, paused: true } });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await updated()).toBe(1);

  let mostUnready = 0;
  const watch = setInterval(
    () => void podsOf(set).then((pods) => (mostUnready = Math.max(mostUnready, pods.filter((pod) => !isReady(pod)).length))),
    100,
  );
  await patchCloneSet(set, { updateStrategy: { paused: false } });
  await settled(set);
  clearInterval(watch);
  expect(mostUnready).toBe(1);
});

test("a field that is not implemented stops the rollout and says so", async () => {
  const set = { name: "surge", namespace, podSpec: { containers: [app("lab.local/app:v1")] } };
  await applyCloneSet(set);
  await settled(set);
  await patchCloneSet(set, { updateStrategy: { maxSurge: 1 }, template: { spec: { containers: [app("lab.local/app:v2")] } } });
  await eventually(async () => {
    const { status } = await api.get<CloneSet>(cloneSetsPath(namespace, "surge"));
    const failed = status?.conditions?.find(({ type }) => type === "FailedUpdate");
    expect(failed).toMatchObject({ status: "True", message: expect.stringContaining("maxSurge") as unknown });
  }, 20_000);
  expect(theOnly(await podsOf(set)).spec.containers[0]?.image).toBe("lab.local/app:v1");
  const warnings = (await eventsAbout(namespace, "surge")).filter(({ type }) => type === "Warning");
  expect(warnings.map(({ message }) => message).join()).toContain("maxSurge");

  await patchCloneSet(set, { updateStrategy: { maxSurge: 0 } });
  expect(theOnly(await settled(set)).spec.containers[0]?.image).toBe("lab.local/app:v2");
});

test("env of a pod whose label changes by hand is left alone", async () => {
  const podSpec = { containers: [app("lab.local/app:v1", { env: [envFrom("CONFIG", "annotations", "config")] })] };
  const set = { name: "by-hand", namespace, annotations: { config: "one" }, podSpec };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));
  await api.mergePatch(`/api/v1/namespaces/${namespace}/pods/${before.metadata.name}`, {
    metadata: { annotations: { config: "by hand" } },
  });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(instances(theOnly(await podsOf(set)))).toEqual(instances(before));
});
