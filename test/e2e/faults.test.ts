import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { NodePodRestart } from "../../src/api/node-pod-restart.js";
import { eventually } from "../support/eventually.js";
import {
  api,
  applyCloneSet,
  dropNamespace,
  envFrom,
  instances,
  isReady,
  makeNamespace,
  patchCloneSet,
  podmendPods,
  podsOf,
  settled,
  theOnly,
} from "./support/cluster.js";
import { containerPid, kubeletPid, liveEnv } from "./support/processes.js";

jest.setTimeout(240_000);
let namespace: string;
beforeAll(async () => void (namespace = await makeNamespace("faults")));
afterAll(() => dropNamespace(namespace));

const podSpec = { containers: [{ name: "app", image: "lab.local/app:v1", env: [envFrom("CONFIG", "annotations", "config")] }] };

async function agentOn(node: string | undefined) {
  const agents = (await podmendPods("agent")).filter(({ spec }) => spec.nodeName === node);
  return theOnly(agents);
}

async function allPodmendReady(): Promise<void> {
  await eventually(
    async () => {
      const pods = [...(await podmendPods("agent")), ...(await podmendPods("controller"))];
      expect(pods.filter(isReady)).toHaveLength(pods.length);
    },
    90_000,
    200,
  );
}

test("a kubelet that sleeps between the metadata and the stop leaves no wrong env, and costs at most one more restart", async () => {
  const set = { name: "sleepy", namespace, annotations: { config: "one" }, podSpec };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));
  const kubelet = kubeletPid(before.spec.nodeName ?? "");
  process.kill(kubelet, "SIGSTOP");
  try {
    await patchCloneSet(set, { template: { metadata: { annotations: { config: "two" } } } });
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  } finally {
    process.kill(kubelet, "SIGCONT");
  }
  const after = theOnly(await settled(set, 120_000));
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect((await liveEnv(after, "app")).get("CONFIG")).toBe("two");
  expect(instances(after)["app"]?.restartCount).toBeGreaterThanOrEqual(1);
  expect(instances(after)["app"]?.restartCount).toBeLessThanOrEqual(2);
});

test("an agent that is killed between the request and the stop finishes the work after its restart, with one restart", async () => {
  const set = { name: "killed-agent", namespace, annotations: { config: "one" }, podSpec };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));
  const node = before.spec.nodeName ?? "";
  const agent = await containerPid(await agentOn(node), "agent");
  process.kill(agent, "SIGSTOP");
  await patchCloneSet(set, { template: { metadata: { annotations: { config: "two" } } } });
  await eventually(async () => {
    const { spec } = await api.get<NodePodRestart>(`/apis/node.podmend.io/v1alpha1/nodepodrestarts/${node}`);
    expect(spec.podRestarts?.map(({ uid }) => uid)).toContain(before.metadata.uid);
  }, 20_000);
  process.kill(agent, "SIGKILL");
  const after = theOnly(await settled(set, 120_000));
  expect((await liveEnv(after, "app")).get("CONFIG")).toBe("two");
  expect(instances(after)["app"]?.restartCount).toBe(1);
  await allPodmendReady();
});

test("an agent that is killed while preStop runs does not run it again, and restarts the container once", async () => {
  const preStop = { exec: { command: ["sh", "-c", "echo stop >> /log/stops; sleep 2"] } };
  const volumeMounts = [{ name: "log", mountPath: "/log" }];
  const withLog = {
    containers: [
      { ...podSpec.containers[0], lifecycle: { preStop }, volumeMounts },
      { name: "log", image: "lab.local/app:v1", volumeMounts },
    ],
    volumes: [{ name: "log", emptyDir: {} }],
  };
  const set = { name: "killed-in-pre-stop", namespace, annotations: { config: "one" }, podSpec: withLog };
  await applyCloneSet(set);
  const before = theOnly(await settled(set));
  const stops = `/proc/${await containerPid(before, "log")}/root/log/stops`;
  const agent = await containerPid(await agentOn(before.spec.nodeName), "agent");
  await patchCloneSet(set, { template: { metadata: { annotations: { config: "two" } } } });
  await eventually(() => readFileSync(stops), 20_000, 20);
  process.kill(agent, "SIGKILL");
  const after = theOnly(await settled(set, 120_000));
  expect(instances(after)["app"]?.restartCount).toBe(1);
  expect((await liveEnv(after, "app")).get("CONFIG")).toBe("two");
  expect(readFileSync(stops, "utf8")).toBe("stop\n");
  await allPodmendReady();
});

test("a controller that is killed in mid-rollout loses nothing and updates each pod once", async () => {
  const set = {
    name: "killed-controller",
    namespace,
    replicas: 6,
    updateStrategy: { maxUnavailable: 2 },
    annotations: { config: "one" },
    podSpec,
  };
  await applyCloneSet(set);
  const before = await settled(set);
  await patchCloneSet(set, { template: { metadata: { annotations: { config: "two" } } } });
  await eventually(async () => {
    const updated = (await podsOf(set)).filter(({ metadata }) => metadata.annotations?.["config"] === "two");
    expect(updated.length).toBeGreaterThanOrEqual(2);
  }, 20_000);
  for (const controller of await podmendPods("controller")) process.kill(await containerPid(controller, "controller"), "SIGKILL");
  const after = await settled(set, 120_000);
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  for (const pod of after) {
    expect(instances(pod)["app"]?.restartCount).toBe(1);
    expect((await liveEnv(pod, "app")).get("CONFIG")).toBe("two");
  }
  await allPodmendReady();
});

test("restarting agents and controllers touches no settled pod", async () => {
  const set = { name: "quiet", namespace, replicas: 4, annotations: { config: "one" }, podSpec };
  await applyCloneSet(set);
  await settled(set);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const before = await podsOf(set);
  for (const pod of [...(await podmendPods("agent")), ...(await podmendPods("controller"))]) {
    await api.remove(`/api/v1/namespaces/podmend-system/pods/${pod.metadata.name}`);
  }
  await allPodmendReady();
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const after = await podsOf(set);
  expect(after.map(instances)).toEqual(before.map(instances));
  expect(after.map(({ metadata }) => metadata.resourceVersion)).toEqual(before.map(({ metadata }) => metadata.resourceVersion));
});
