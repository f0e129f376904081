import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { ContainerFacts } from "../../../src/api/node-pod-restart.js";
import type { Pod } from "../../../src/api/pod.js";
import { CLONE_SETS, NODE_POD_RESTARTS, PODS } from "../../../src/api/resources.js";
import { expectedEnvHash } from "../../../src/core/values/env-from-metadata.js";
import { plainHash } from "../../../src/core/values/hash.js";
import { startCloneSetFixture, type CloneSetFixture } from "../../support/clone-set-fixture.js";
import { eventually } from "../../support/eventually.js";

const MERGE = "application/merge-patch+json";
const POD_PATH = /\/pods\/web-[^/?]+(\?|$)/;
const POD_STATUS_PATH = /\/pods\/web-[^/?]+\/status/;

jest.setTimeout(30_000);

let fixture: CloneSetFixture;

beforeEach(async () => {
  fixture = await startCloneSetFixture();
});
afterEach(() => fixture.stop());

const image = (name: string): object => ({ template: { spec: { containers: [{ name: "app", image: name }] } } });
const condition = (pod: Pod | undefined, type: string): string | undefined =>
  pod?.status?.conditions?.find((candidate) => candidate.type === type)?.status;
const requestCount = (method: string, path: RegExp): number =>
  fixture.kube.server.requests.filter((request) => request.method === method && path.test(request.path)).length;
const pause = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));

function available(replicas: number, timeoutMs = 5_000): Promise<void> {
  return eventually(() => {
    const { status, metadata } = fixture.cloneSet();
    expect(status).toMatchObject({ observedGeneration: metadata.generation, updatedAvailableReplicas: replicas, replicas });
  }, timeoutMs);
}

/** A change that no rule looks at, to make the controller look again now. */
function nudge(): void {
  const body = { metadata: { annotations: { nudge: String(performance.now()) } } };
  fixture.kube.server.state.patch(CLONE_SETS, { namespace: "shop", name: "web" }, { contentType: MERGE, body });
}

describe("a CloneSet under faults", () => {
  test("decides anew after conflicts, and tells nobody", async () => {
    fixture.create();
    await available(3);
    const { faults } = fixture.kube.server;
    faults.add({ method: "PATCH", path: POD_STATUS_PATH, times: 2 }, { type: "status", code: 409, reason: "Conflict" });
    faults.add({ method: "PATCH", path: POD_PATH, times: 2 }, { type: "status", code: 409, reason: "Conflict" });
    fixture.change(image("app:v2"));
    await available(3);
    expect(fixture.events.filter(({ type }) => type === "Warning")).toEqual([]);
    expect(fixture.cloneSet().status).not.toHaveProperty("conditions");
  });

  test("claims to have observed no template of which it could make no revision yet", async () => {
    fixture.create();
    await available(3);
    const refusal = { type: "status", code: 500, reason: "InternalError" } as const;
    fixture.kube.server.faults.add({ method: "POST", path: /controllerrevisions/, times: 4 }, refusal);
    fixture.change(image("app:v2"));
    await eventually(() => expect(requestCount("POST", /controllerrevisions/)).toBeGreaterThan(2));
    expect(fixture.cloneSet().status).toMatchObject({ observedGeneration: 1 });
    await available(3, 10_000);
  });

  test("makes no pod too many when the answer to a creation is lost", async () => {
    fixture.kube.server.faults.add({ method: "POST", path: /\/pods/, times: 2 }, { type: "cutAfterReply" });
    fixture.create();
    await available(3);
    await pause(300);
    expect(fixture.pods()).toHaveLength(3);
  });

  test("reports a refused creation once, tries it seldom, and clears the report", async () => {
    fixture.kube.server.faults.add({ method: "POST", path: /\/pods/, times: 1_000 }, { type: "status", code: 403, reason: "Forbidden" });
    fixture.create();
    await eventually(() =>
      expect(fixture.cloneSet().status?.conditions).toMatchObject([{ type: "FailedScale", status: "True", reason: "FailedCreate" }]),
    );
    await pause(500);
    expect(requestCount("POST", /\/pods/)).toBeLessThan(5);
    expect(requestCount("PUT", /clonesets/)).toBeLessThan(4);
    fixture.kube.server.faults.clear();
    await available(3, 8_000);
    await eventually(() => expect(fixture.cloneSet().status).not.toHaveProperty("conditions"));
  });

  test("updates the pods that there are while more are refused, and asks for more only once in a while", async () => {
    fixture.create({ replicas: 2, updateStrategy: { type: "InPlaceIfPossible", maxUnavailable: "100%" } });
    await available(2);
    fixture.kube.server.faults.add({ method: "POST", path: /\/pods/, times: 1_000 }, { type: "status", code: 403, reason: "Forbidden" });
    const before = requestCount("POST", /\/pods/);
    fixture.change({ replicas: 4, ...image("app:v2") });
    await eventually(() =>
      expect(fixture.cloneSet()).toMatchObject({ status: { observedGeneration: 2, replicas: 2, updatedAvailableReplicas: 2 } }),
    );
    for (let count = 0; count < 5; count++) {
      nudge();
      await pause(50);
    }
    expect(requestCount("POST", /\/pods/) - before).toBe(1);
    expect(fixture.cloneSet().status?.conditions).toMatchObject([{ type: "FailedScale", reason: "FailedCreate" }]);
    expect(fixture.events.filter(({ reason }) => reason === "FailedCreate")).toHaveLength(1);
  });

  test("asks at once for what was refused when the spec has changed", async () => {
    fixture.kube.server.faults.add({ method: "POST", path: /\/pods/, times: 1 }, { type: "status", code: 422, reason: "Invalid" });
    fixture.create();
    await eventually(() => expect(fixture.cloneSet().status?.conditions).toMatchObject([{ reason: "FailedCreate" }]));
    fixture.change(image("app:v2"));
    await available(3, 3_000);
  });

  test("takes a pod out of service only once in a while when its change is refused, and lets it back in", async () => {
    fixture.create({ replicas: 1 });
    await available(1);
    fixture.kube.server.faults.add({ method: "PATCH", path: POD_PATH, times: 1 }, { type: "status", code: 403, reason: "Forbidden" });
    const before = requestCount("PATCH", POD_STATUS_PATH);
    fixture.change(image("app:v2"));
    await eventually(() => expect(fixture.cloneSet().status?.conditions).toMatchObject([{ reason: "FailedUpdatePod" }]));
    await eventually(() => expect(condition(fixture.pods()[0], "InPlaceUpdateReady")).toBe("True"));
    await pause(1_000);
    expect(requestCount("PATCH", POD_STATUS_PATH) - before).toBe(2);
    expect(fixture.events.filter(({ reason }) => reason === "FailedUpdatePodInPlace")).toHaveLength(1);
    expect(fixture.cloneSet().status?.conditions).toMatchObject([{ reason: "FailedUpdatePod" }]);
    await available(1, 10_000);
    expect(fixture.cloneSet().status).not.toHaveProperty("conditions");
  }, 20_000);

  test("does not let one pod's refusal stop the others", async () => {
    fixture.create({ updateStrategy: { type: "InPlaceIfPossible", maxUnavailable: 3 } });
    await available(3);
    const name = fixture.pods()[1]?.metadata.name ?? "";
    const path = new RegExp(`/pods/${name}(\\?|$)`);
    fixture.kube.server.faults.add({ method: "PATCH", path, times: 1_000 }, { type: "status", code: 403, reason: "Forbidden" });
    fixture.change(image("app:v2"));
    await eventually(() => expect(fixture.cloneSet().status).toMatchObject({ updatedReadyReplicas: 2 }));
    expect(fixture.pods().find(({ metadata }) => metadata.name === name)?.spec.containers[0]?.image).toBe("app:v1");
    expect(fixture.cloneSet().status?.conditions?.[0]?.message).toContain(name);
  });
});

describe("a CloneSet with env from metadata", () => {
  const container = {
    name: "app",
    image: "app:v1",
    env: [{ name: "CONFIG", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.annotations['config']" } } }],
  };
  const withConfig = (config: string): object => ({ template: { metadata: { annotations: { config } } } });

  beforeEach(async () => {
    const template = { metadata: { labels: { app: "web" }, annotations: { config: "one" } }, spec: { containers: [container] } };
    fixture.create({ replicas: 1, template });
    await available(1);
  });

  function report(pod: Pod | undefined, facts: ContainerFacts, asked = true): void {
    const { uid = "", name = "", namespace = "" } = pod?.metadata ?? {};
    const { state } = fixture.kube.server;
    const requests = [{ id: "1", container: "app", observe: true }];
    const spec = { podRestarts: asked ? [{ uid, name, namespace, requests }] : [] };
    state.create(NODE_POD_RESTARTS, { metadata: { name: "node1" }, spec });
    const status = { observedGeneration: 1, podRestartStatuses: [{ uid, containers: [facts] }] };
    state.patch(NODE_POD_RESTARTS, { name: "node1" }, { contentType: MERGE, body: { status }, subresource: "status" });
  }

  function factsAfterRestart(pod: Pod | undefined): ContainerFacts {
    const containerID = `containerd://${pod?.metadata.name ?? ""}-app-1`;
    const envHash = expectedEnvHash(container, { annotations: { config: "two" } });
    return { name: "app", containerID, restartCount: 1, state: "Running", plainHash: plainHash(container), envHash };
  }

  test("keeps the pod out of service until the agent has seen the new container with the new env", async () => {
    fixture.change(withConfig("two"));
    await eventually(() => expect(fixture.pods()[0]?.metadata.annotations?.["config"]).toBe("two"));
    await pause(200);
    const [pod] = fixture.pods();
    expect(condition(pod, "InPlaceUpdateReady")).toBe("False");
    report(pod, factsAfterRestart(pod));
    await eventually(() => expect(condition(fixture.pods()[0], "InPlaceUpdateReady")).toBe("True"));
    fixture.kubelet.restart(fixture.pods()[0] as Pod, "app");
    await available(1);
    expect(fixture.pods()[0]?.metadata.annotations).toHaveProperty(["apps.kruise.io/runtime-containers-meta"]);
  });

  test("does not believe a node about a pod that it was not asked about", async () => {
    fixture.change(withConfig("two"));
    await eventually(() => expect(fixture.pods()[0]?.metadata.annotations?.["config"]).toBe("two"));
    const [pod] = fixture.pods();
    report(pod, factsAfterRestart(pod), false);
    await pause(300);
    expect(condition(fixture.pods()[0], "InPlaceUpdateReady")).toBe("False");
  });

  test("is in no hurry and restarts nothing for metadata that no env reads", async () => {
    const statusWrites = requestCount("PATCH", POD_STATUS_PATH);
    fixture.change({ template: { metadata: { labels: { tier: "front" } } } });
    await available(1);
    expect(fixture.pods()[0]?.metadata.labels?.["tier"]).toBe("front");
    expect(requestCount("PATCH", POD_STATUS_PATH)).toBe(statusWrites);
    expect(fixture.pods()[0]?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  test("ends in service when a pod vanishes in the middle of its update", async () => {
    fixture.change(withConfig("two"));
    await eventually(() => expect(fixture.pods()[0]?.metadata.annotations?.["config"]).toBe("two"));
    fixture.kube.server.state.delete(PODS, { namespace: "shop", name: fixture.pods()[0]?.metadata.name ?? "" });
    await available(1);
    expect(fixture.pods()[0]?.metadata.annotations?.["config"]).toBe("two");
  });
});

describe("a CloneSet whose pod carries an annotation that nobody can read", () => {
  test("starts that pod's update anew and finishes it", async () => {
    fixture.create({ replicas: 1 });
    await available(1);
    fixture.kubelet.isPaused = true;
    fixture.change(image("app:v2"));
    await eventually(() => expect(fixture.pods()[0]?.spec.containers[0]?.image).toBe("app:v2"));
    const name = fixture.pods()[0]?.metadata.name ?? "";
    const body = { metadata: { annotations: { "apps.kruise.io/inplace-update-state": "{broken" } } };
    fixture.kube.server.state.patch(PODS, { namespace: "shop", name }, { contentType: MERGE, body });
    await eventually(() => expect(fixture.events.filter(({ reason }) => reason === "StateUnreadable")).toHaveLength(1));
    await eventually(() => {
      const state = fixture.pods()[0]?.metadata.annotations?.["apps.kruise.io/inplace-update-state"] ?? "";
      expect(JSON.parse(state)).toHaveProperty("revision");
    });
    fixture.kubelet.isPaused = false;
    fixture.kubelet.syncAll();
    await available(1);
  });
});
