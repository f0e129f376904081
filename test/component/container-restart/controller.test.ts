import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { NodePodRestart } from "../../../src/api/node-pod-restart.js";
import { NODE_POD_RESTARTS, NODES } from "../../../src/api/resources.js";
import { expectedEnvHash } from "../../../src/core/values/env-from-metadata.js";
import type { EventFact } from "../../../src/kube/event-recorder.js";
import { eventually } from "../../support/eventually.js";
import { type KubeFixture, startKubeFixture } from "../../support/kube-fixture.js";
import { createPod, ENV, setStatus, startController } from "./controller-fixture.js";

const MERGE = "application/merge-patch+json";

let kube: KubeFixture;
let events: EventFact[];
let stopController: () => Promise<void>;

beforeEach(async () => {
  kube = await startKubeFixture();
  events = [];
  kube.server.state.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "node-a" } });
  stopController = await startController(kube, events);
});

afterEach(async () => {
  await stopController();
  await kube.stop();
});

function report(status: NodePodRestart["status"]): void {
  kube.server.state.patch(NODE_POD_RESTARTS, { name: "node-a" }, { contentType: MERGE, body: { status }, subresource: "status" });
}

function object(): NodePodRestart {
  return kube.server.state.get(NODE_POD_RESTARTS, { name: "node-a" }) as unknown as NodePodRestart;
}

function writes(): number {
  return kube.server.requests.filter(({ method, path }) => method !== "GET" && path.includes("nodepodrestarts")).length;
}

const HASH = expectedEnvHash({ env: ENV }, { annotations: { config: "new" } });

describe("the controller's node objects", () => {
  test("exist as soon as their node does, are owned by it, and ask for nothing", async () => {
    await eventually(() => expect(object().spec).toEqual({ podRestarts: [] }));
    expect(object().metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "node-a" }]);
    createPod(kube, "settled");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(writes()).toBe(1);
  });

  test("ask again after a conflict, also when nothing had changed", async () => {
    await eventually(() => expect(object().spec).toEqual({ podRestarts: [] }));
    kube.server.faults.add({ method: "PATCH", path: /nodepodrestarts/ }, { type: "status", code: 409, reason: "Conflict" });
    createPod(kube, "web-0", true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(1));
  });

  test("ask to stop the instance of a pod in mid-update, by a hash and never by a value", async () => {
    const pod = createPod(kube, "web-0", true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(1));
    expect(object().spec.podRestarts).toMatchObject([
      {
        namespace: "shop",
        name: "web-0",
        uid: pod.metadata.uid,
        requests: [
          { container: "app", containerID: "containerd://c0", stopWhile: { envHashNot: HASH }, envNames: ["CONFIG"], runPreStop: true },
        ],
      },
    ]);
    expect(JSON.stringify(object().spec)).not.toContain('"new"');
  });

  test("take many pods in at most one write per 100 ms", async () => {
    await eventually(() => object());
    for (let index = 0; index < 20; index++) createPod(kube, `web-${index}`, true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(20));
    expect(writes()).toBeLessThanOrEqual(5);
  });

  test("survive the agent writing at the same time", async () => {
    await eventually(() => object());
    const disturb = setInterval(() => report({ observedGeneration: 0, podRestartStatuses: [] }), 1);
    createPod(kube, "web-0", true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(1)).finally(() => clearInterval(disturb));
  });

  test("disarm the stop when the update is over before it was carried out", async () => {
    createPod(kube, "web-0", true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(1));
    setStatus(kube, "web-0", { ready: "True" });
    await eventually(() => expect(object().spec.podRestarts).toEqual([]));
  });

  test("keep what a controller before them asked for, word by word", async () => {
    createPod(kube, "web-0", true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(1));
    const before = object();
    await stopController();
    stopController = await startController(kube, events);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(object()).toEqual(before);
  });

  test("come back when somebody deletes them", async () => {
    await eventually(() => object());
    const uid = object().metadata.uid;
    kube.server.state.delete(NODE_POD_RESTARTS, { name: "node-a" });
    await eventually(() => expect(object().metadata.uid).not.toBe(uid));
  });

  test("ignore a report about a pod that nobody asked about, and say so", async () => {
    await eventually(() => object());
    report({
      observedGeneration: object().metadata.generation ?? 0,
      podRestartStatuses: [{ uid: "foreign", results: [], containers: [] }],
    });
    await eventually(() =>
      expect(events).toMatchObject([{ type: "Warning", reason: "ReportRefused", regarding: { kind: "NodePodRestart" } }]),
    );
  });

  test("pass on to pod and owner what the agent cannot do", async () => {
    const pod = createPod(kube, "web-0", true);
    await eventually(() => expect(object().spec.podRestarts).toHaveLength(1));
    const id = object().spec.podRestarts?.[0]?.requests[0]?.id ?? "";
    const results = [{ id, phase: "Failed", reason: "EnvUnreadable", message: "not told" }] as const;
    report({
      observedGeneration: object().metadata.generation ?? 0,
      podRestartStatuses: [{ uid: pod.metadata.uid ?? "", results, containers: [] }],
    });
    await eventually(() =>
      expect(events.map(({ reason, regarding }) => [reason, regarding.kind])).toEqual([
        ["EnvUnreadable", "Pod"],
        ["EnvUnreadable", "CloneSet"],
      ]),
    );
  });
});
