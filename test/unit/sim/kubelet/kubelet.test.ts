import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { ContainerStatus, PodStatus } from "../../../../src/api/pod.js";
import { PODS } from "../../../../src/api/resources.js";
import { containerHash } from "../../../../src/sim/kubelet/container-hash.js";
import { type KubeletLab, startKubeletLab, V1, V2 } from "./kubelet-lab.js";

const GATE = { readinessGates: [{ conditionType: "InPlaceUpdateReady" }] };

let lab: KubeletLab;

afterEach(() => lab.stop());

function app(status: PodStatus = lab.status()): ContainerStatus | undefined {
  return status.containerStatuses?.find(({ name }) => name === "app");
}

function condition(type: string, status: PodStatus = lab.status()): object | undefined {
  return status.conditions?.find((found) => found.type === type);
}

/** What the recording of a scenario says that the kubelet changed in one write: the first one that touches this pointer after a step. */
function recorded(file: string, pointer: string, afterStep: string): Readonly<Record<string, unknown>> {
  const path = new URL(`../../../golden/recordings/${file}.jsonl`, import.meta.url);
  const lines = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const from = lines.findIndex(({ step }) => typeof step === "string" && step.startsWith(afterStep));
  const found = lines.slice(from).find(({ kind, changed }) => kind === "Pod" && Object.keys(changed ?? {}).includes(pointer));
  return (found?.["changed"] ?? {}) as Readonly<Record<string, unknown>>;
}

describe("the kubelet model", () => {
  test("hashes containers as the recordings show it", async () => {
    lab = await startKubeletLab();
    const path = new URL("../../../golden/container-hashes.json", import.meta.url);
    const golden = JSON.parse(readFileSync(path, "utf8")) as { name: string; image: string; plainHash: number }[];
    expect(golden.length).toBeGreaterThan(10);
    for (const { name, image, plainHash } of golden) expect(Number.parseInt(containerHash({ name, image }), 16)).toBe(plainHash);
  });

  test("posts ContainerCreating first and Running a look after the start, as recorded", async () => {
    lab = await startKubeletLab();
    const phases = lab.statuses.map(({ status }) => [status.phase, Object.keys(app(status)?.state ?? {})[0]]);
    expect(phases).toEqual([
      ["Pending", undefined],
      ["Pending", undefined],
      ["Pending", undefined],
      ["Pending", "waiting"],
      ["Running", "running"],
    ]);
    expect(app(lab.statuses[3]?.status)?.state).toEqual({ waiting: { reason: "ContainerCreating" } });
    expect(condition("Ready", lab.statuses[3]?.status)).toMatchObject({
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [app side]",
    });
    expect(lab.status()).toMatchObject({ observedGeneration: lab.pod().metadata.generation, podIP: "10.0.1.1", qosClass: "BestEffort" });
    expect(app()).toMatchObject({ ready: true, started: true, restartCount: 0, image: V1, lastState: {} });
  });

  test("names containers by io.kubernetes labels and annotations", async () => {
    lab = await startKubeletLab({
      containers: [{ name: "app", image: V1, imagePullPolicy: "IfNotPresent", lifecycle: { preStop: { exec: { command: ["x"] } } } }],
    });
    const { labels, annotations } = lab.latest("app");
    expect(labels).toEqual({
      "io.kubernetes.container.name": "app",
      "io.kubernetes.pod.name": "web-0",
      "io.kubernetes.pod.namespace": "shop",
      "io.kubernetes.pod.uid": lab.pod().metadata.uid,
    });
    expect(annotations).toMatchObject({
      "io.kubernetes.container.hash": (2804610836).toString(16),
      "io.kubernetes.container.restartCount": "0",
      "io.kubernetes.container.preStopHandler": '{"exec":{"command":["x"]}}',
      "io.kubernetes.pod.terminationGracePeriod": "5",
    });
  });

  test("starts a stopped container again with the new metadata, posting its death and then its life as recorded", async () => {
    lab = await startKubeletLab();
    const first = lab.latest("app").id;
    lab.patch({ metadata: { annotations: { config: "two" } } });
    await lab.clock.advance(2_000);
    expect(lab.latest("app").id).toBe(first);
    const from = lab.statuses.length;
    lab.world.containers.exit(first, 0);
    await lab.clock.advance(1_900);
    const [died, lives, ...others] = lab.statuses.slice(from).map(({ status }) => status);
    expect(others).toEqual([]);
    const death = recorded("env-update", "/status/containerStatuses/0/state/terminated", "change template annotation");
    expect(app(died)).toMatchObject({ ready: false, started: false, restartCount: 0, lastState: {} });
    const terminated = death["/status/containerStatuses/0/state/terminated"] as object;
    expect(Object.keys(app(died)?.state?.terminated ?? {}).sort()).toEqual(Object.keys(terminated).sort());
    expect(app(died)?.state?.terminated).toMatchObject({ exitCode: 0, reason: "Completed", containerID: `containerd://${first}` });
    expect(condition("ContainersReady", died)).toMatchObject({
      status: death["/status/conditions/5/status"],
      reason: death["/status/conditions/5/reason"],
      message: death["/status/conditions/5/message"],
    });
    expect(app(lives)).toMatchObject({ ready: true, restartCount: 1, lastState: { terminated: { containerID: `containerd://${first}` } } });
    expect(Object.keys(app(lives)?.state ?? {})).toEqual(["running"]);
    expect(lab.latest("app").envs).toEqual([{ key: "CONFIG", value: "two" }]);
    expect(lab.latest("side").attempt).toBe(0);
  });

  test("starts a container that dies before the awaited look from the version it had in hand", async () => {
    lab = await startKubeletLab();
    lab.patch({ metadata: { labels: { any: "change" } } }); // taken at once: the last look is newer than the last work
    await lab.clock.advance(50);
    lab.patch({ metadata: { labels: { any: "other" } } }); // waits for the next look
    await lab.clock.advance(50);
    lab.patch({ metadata: { annotations: { config: "two" } } });
    lab.world.containers.exit(lab.latest("app").id, 0);
    await lab.clock.advance(1_500);
    expect(lab.latest("app")).toMatchObject({ attempt: 1, envs: [{ key: "CONFIG", value: "one" }] });
  });

  test("restarts a container whose image changes, in one status write as recorded", async () => {
    lab = await startKubeletLab();
    await lab.clock.advance(2_000);
    const first = lab.latest("app").id;
    const from = lab.statuses.length;
    lab.patch({ spec: { containers: [{ name: "app", image: V2 }] } });
    await lab.clock.advance(2_500);
    const written = lab.statuses.slice(from).map(({ status }) => app(status));
    const shown = recorded("grace", "/status/containerStatuses/0/restartCount", "change image");
    expect(new Set(written.map((status) => status?.state?.terminated))).toEqual(new Set([undefined]));
    expect(written.at(-1)).toMatchObject({
      restartCount: shown["/status/containerStatuses/0/restartCount"],
      image: shown["/status/containerStatuses/0/image"],
      lastState: { terminated: { containerID: `containerd://${first}`, exitCode: 0, reason: "Completed" } },
    });
    expect(lab.events()).toContain("Killing: Container app definition changed, will be restarted");
  });

  test("makes Ready follow a gate of somebody else, in the recorded words", async () => {
    lab = await startKubeletLab(GATE);
    expect(condition("Ready")).toMatchObject({ status: "False", reason: "ReadinessGatesNotReady" });
    const setGate = (status: string): void => lab.patch({ status: { conditions: [{ type: "InPlaceUpdateReady", status }] } }, "status");
    setGate("True");
    await lab.clock.advance(1_500);
    expect(condition("Ready")).toMatchObject({ status: "True" });
    expect(condition("InPlaceUpdateReady")).toMatchObject({ status: "True" });
    setGate("False");
    await lab.clock.advance(1_500);
    const shown = recorded("env-update", "/status/conditions/4/message", "change template annotation");
    expect(condition("Ready")).toMatchObject({
      status: "False",
      reason: shown["/status/conditions/4/reason"],
      message: shown["/status/conditions/4/message"],
    });
  });

  test("waits 10 s and a bit before it starts a container the second time", async () => {
    lab = await startKubeletLab();
    lab.world.containers.exit(lab.latest("app").id, 1);
    await lab.clock.advance(2_000);
    expect(lab.latest("app").attempt).toBe(1);
    lab.world.containers.exit(lab.latest("app").id, 1);
    await lab.clock.advance(2_000);
    expect(app()).toMatchObject({ state: { terminated: { exitCode: 1, reason: "Error" } } });
    await lab.clock.advance(7_900);
    expect(lab.latest("app").attempt).toBe(1);
    await lab.clock.advance(5_000);
    expect(lab.latest("app").attempt).toBe(2);
    expect(lab.events().some((text) => text.startsWith("BackOff: Back-off restarting failed container=app pod=web-0_shop("))).toBe(true);
  });

  test("tells of an image that cannot be pulled, and recovers with the old one in the same pod", async () => {
    lab = await startKubeletLab();
    const { uid } = lab.pod().metadata;
    lab.patch({ spec: { containers: [{ name: "app", image: "lab.local/app:none" }] } });
    await lab.clock.advance(2_000);
    const text = 'failed to resolve reference "lab.local/app:none": not found';
    expect(app()).toMatchObject({
      ready: false,
      state: { waiting: { reason: "ErrImagePull", message: expect.stringContaining(text) as unknown } },
    });
    expect(app()).toMatchObject({ restartCount: 0, lastState: { terminated: { exitCode: 0 } } });
    await lab.clock.advance(14_000);
    const reasons = lab.statuses.map(({ status }) => app(status)?.state?.waiting?.reason);
    expect(reasons).toContain("ImagePullBackOff");
    lab.patch({ spec: { containers: [{ name: "app", image: V1 }] } });
    await lab.clock.advance(2_500);
    expect(app()).toMatchObject({ ready: true, restartCount: 1, image: V1 });
    expect(lab.pod().metadata.uid).toBe(uid);
  });

  test("keeps a container waiting whose ConfigMap is missing", async () => {
    const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "none", key: "k" } } }];
    lab = await startKubeletLab({ containers: [{ name: "app", image: V1, imagePullPolicy: "IfNotPresent", env }] });
    await lab.clock.advance(10_000);
    expect(app()).toMatchObject({ state: { waiting: { reason: "CreateContainerConfigError", message: 'configmap "none" not found' } } });
  });

  test("ends a deleted pod: asks its containers, posts their end as recorded, and removes it a look later", async () => {
    lab = await startKubeletLab();
    const from = lab.statuses.length;
    lab.state.delete(PODS, { namespace: "shop", name: "web-0" });
    await lab.clock.advance(3_000);
    expect(lab.state.list(PODS)).toEqual([]);
    const shown = recorded("recreate", "/status/phase", "change a literal env");
    const ended = lab.statuses.slice(from).find(({ status }) => status.phase === shown["/status/phase"]);
    expect(condition("Ready", ended?.status)).toMatchObject({ status: "False", reason: shown["/status/conditions/4/reason"] });
    expect(app(ended?.status)?.state?.terminated).toMatchObject({ exitCode: 0, reason: "Completed" });
    expect(lab.events()).toContain("Killing: Stopping container app");
    expect(lab.world.containers.list()).toEqual([]);
    expect(lab.world.containers.sandboxes()).toEqual([]);
  });
});
