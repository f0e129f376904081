import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Pod } from "../../../src/api/pod.js";
import { CLONE_SETS, CONTROLLER_REVISIONS, PODS } from "../../../src/api/resources.js";
import { startCloneSetFixture, type CloneSetFixture } from "../../support/clone-set-fixture.js";
import { eventually } from "../../support/eventually.js";

jest.setTimeout(30_000);

let fixture: CloneSetFixture;

beforeEach(async () => {
  fixture = await startCloneSetFixture({ missingImages: ["app:bad"] });
});
afterEach(() => fixture.stop());

const uids = (): readonly (string | undefined)[] => fixture.pods().map(({ metadata }) => metadata.uid);
const images = (): readonly (string | undefined)[] => fixture.pods().map(({ spec }) => spec.containers[0]?.image);
const reasons = (): readonly string[] => fixture.events.map(({ reason }) => reason);
const template = (image: string, more: object = {}): object => ({
  template: { spec: { containers: [{ name: "app", image, ...more }] } },
});

function allAvailable(replicas: number, timeoutMs?: number): Promise<void> {
  return eventually(() => {
    const { status, metadata } = fixture.cloneSet();
    expect(status).toMatchObject({
      observedGeneration: metadata.generation,
      replicas,
      availableReplicas: replicas,
      updatedReplicas: replicas,
      updatedAvailableReplicas: replicas,
    });
  }, timeoutMs);
}

/** Nothing is written for a while. */
async function quiet(): Promise<void> {
  let seen = -1;
  await eventually(async () => {
    const before = fixture.kube.server.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 150));
    seen = fixture.kube.server.requests.length;
    expect(seen).toBe(before);
  }, 10_000);
}

describe("a CloneSet", () => {
  test("creates its pods with gate, labels and owner, and says so in its status", async () => {
    fixture.create();
    await allAvailable(3);
    const [pod] = fixture.pods();
    expect(pod?.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(pod?.spec.readinessGates).toEqual([{ conditionType: "InPlaceUpdateReady" }]);
    const revision = fixture.revisions()[0]?.metadata.name ?? "";
    expect(pod?.metadata.labels).toMatchObject({
      app: "web",
      "apps.kruise.io/cloneset-instance-id": pod?.metadata.name.slice(4),
      "controller-revision-hash": revision,
      "pod-template-hash": revision.slice(4),
      "lifecycle.apps.kruise.io/state": "Normal",
    });
    expect(pod?.metadata.ownerReferences).toMatchObject([{ apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", controller: true }]);
    expect(fixture.cloneSet().status).toMatchObject({ currentRevision: revision, updateRevision: revision, labelSelector: "app=web" });
    expect(fixture.cloneSet().status).not.toHaveProperty("conditions");
    expect(reasons().filter((reason) => reason === "SuccessfulCreate")).toHaveLength(3);
  });

  test("scales up and down", async () => {
    fixture.create();
    await allAvailable(3);
    fixture.change({ replicas: 6 });
    await allAvailable(6);
    fixture.change({ replicas: 1 });
    await allAvailable(1);
    fixture.change({ replicas: 0 });
    await eventually(() => expect(fixture.pods()).toEqual([]));
  });

  test("changes an image in place, one pod after the other", async () => {
    fixture.create();
    await allAvailable(3);
    const before = uids();
    fixture.change(template("app:v2"));
    await allAvailable(3);
    expect(uids()).toEqual(before);
    expect(images()).toEqual(["app:v2", "app:v2", "app:v2"]);
    expect(fixture.pods().map(({ status }) => status?.containerStatuses?.[0]?.restartCount)).toEqual([1, 1, 1]);
    expect(reasons().filter((reason) => reason === "SuccessfulUpdatePodInPlace")).toHaveLength(3);
    expect(fixture.revisions().map(({ revision }) => revision)).toEqual([1, 2]);
    expect(fixture.cloneSet().status).not.toHaveProperty("conditions");
  });

  test("never has more pods out of service than maxUnavailable", async () => {
    let worst = 3;
    const watch = await fixture.kube.informer<Pod>(PODS);
    fixture.create();
    await allAvailable(3);
    watch.onChange(() => {
      const ready = fixture
        .pods()
        .filter(({ status }) => status?.conditions?.some(({ type, status: s }) => type === "Ready" && s === "True"));
      worst = Math.min(worst, ready.length);
    });
    fixture.change({ ...template("app:v2") });
    await allAvailable(3);
    expect(worst).toBe(2);
  });

  test("replaces pods when the change is not possible in place", async () => {
    fixture.create();
    await allAvailable(3);
    const before = uids();
    fixture.change(template("app:v1", { env: [{ name: "X", value: "1" }] }));
    await allAvailable(3);
    expect(uids().filter((uid) => before.includes(uid))).toEqual([]);
    expect(reasons()).toEqual(expect.arrayContaining(["SuccessfulUpdatePodReCreate", "SuccessfulDelete"]));
  });

  test("leaves pods alone when the policy is InPlaceOnly and the change is not possible in place, and says why", async () => {
    fixture.create({ updateStrategy: { type: "InPlaceOnly" } });
    await allAvailable(3);
    const before = uids();
    fixture.change(template("app:v1", { command: ["sleep"] }));
    await eventually(() => {
      const [condition] = fixture.cloneSet().status?.conditions ?? [];
      expect(condition).toMatchObject({ type: "FailedUpdate", status: "True", reason: "InPlaceImpossible" });
      expect(condition?.message).toContain("command");
    });
    await quiet();
    expect(uids()).toEqual(before);
  });

  test("keeps the partition at the old revision, and updates the rest when it goes", async () => {
    fixture.create();
    await allAvailable(3);
    fixture.change({ ...template("app:v2"), updateStrategy: { partition: 2 } });
    await eventually(() =>
      expect(fixture.cloneSet().status).toMatchObject({ updatedReadyReplicas: 1, availableReplicas: 3, expectedUpdatedReplicas: 1 }),
    );
    await quiet();
    expect([...images()].sort()).toEqual(["app:v1", "app:v1", "app:v2"]);
    expect(fixture.cloneSet().status?.currentRevision).toBe(fixture.revisions()[0]?.metadata.name);
    fixture.change({ replicas: 5, updateStrategy: { partition: 4 } });
    await eventually(() => expect([...images()].sort()).toEqual(["app:v1", "app:v1", "app:v1", "app:v1", "app:v2"]));
    fixture.change({ updateStrategy: { partition: 0 } });
    await allAvailable(5);
  });

  test("starts nothing while paused, and goes on afterwards", async () => {
    fixture.create();
    await allAvailable(3);
    fixture.change({ ...template("app:v2"), updateStrategy: { paused: true } });
    await eventually(() => expect(fixture.cloneSet().status?.observedGeneration).toBe(2));
    await quiet();
    expect(images()).toEqual(["app:v1", "app:v1", "app:v1"]);
    fixture.change({ updateStrategy: { paused: false } });
    await allAvailable(3);
  });

  test("waits for the grace period before it touches a container", async () => {
    fixture.create({ replicas: 1, updateStrategy: { type: "InPlaceIfPossible", inPlaceUpdateStrategy: { gracePeriodSeconds: 2 } } });
    await allAvailable(1);
    fixture.change(template("app:v2"));
    await eventually(() => expect(fixture.pods()[0]?.metadata.annotations).toHaveProperty(["apps.kruise.io/inplace-update-grace"]));
    expect(images()).toEqual(["app:v1"]);
    await allAvailable(1);
    expect(images()).toEqual(["app:v2"]);
    expect(fixture.pods()[0]?.metadata.annotations).not.toHaveProperty(["apps.kruise.io/inplace-update-grace"]);
  });

  test("replaces pods that a user marks, whatever the label's value", async () => {
    fixture.create();
    await allAvailable(3);
    const [marked, ...rest] = fixture.pods();
    fixture.kube.server.state.patch(
      PODS,
      { namespace: "shop", name: marked?.metadata.name ?? "" },
      { contentType: "application/merge-patch+json", body: { metadata: { labels: { "apps.kruise.io/specified-delete": "" } } } },
    );
    await eventually(() => expect(uids()).not.toContain(marked?.metadata.uid));
    await allAvailable(3);
    expect(uids()).toEqual(expect.arrayContaining(rest.map(({ metadata }) => metadata.uid)));
  });

  test("stops the rollout on a field that is not implemented, names it, and goes on once it is gone", async () => {
    fixture.create();
    await allAvailable(3);
    fixture.change({ ...template("app:v2"), updateStrategy: { maxSurge: 1 } });
    await eventually(() => {
      const [condition] = fixture.cloneSet().status?.conditions ?? [];
      expect(condition).toMatchObject({ type: "FailedUpdate", status: "True", reason: "UnsupportedField" });
      expect(condition?.message).toContain("spec.updateStrategy.maxSurge");
    });
    await quiet();
    expect(images()).toEqual(["app:v1", "app:v1", "app:v1"]);
    expect(fixture.events.filter(({ reason }) => reason === "UnsupportedField")).toMatchObject([{ type: "Warning" }]);
    fixture.change({ updateStrategy: { maxSurge: 0 } });
    await allAvailable(3);
    expect(fixture.cloneSet().status).not.toHaveProperty("conditions");
  });

  test("says what is wrong with a spec that cannot be meant, and leaves the pods alone", async () => {
    fixture.create();
    await allAvailable(3);
    fixture.change({ replicas: 5, updateStrategy: { maxUnavailable: "5" } });
    await eventually(() => {
      const [condition] = fixture.cloneSet().status?.conditions ?? [];
      expect(condition).toMatchObject({ reason: "InvalidSpec" });
      expect(condition?.message).toContain('spec.updateStrategy.maxUnavailable is "5"');
    });
    await quiet();
    expect(fixture.pods()).toHaveLength(3);
  });

  test("recovers from a bad image by the old template, without replacing a pod", async () => {
    fixture.create();
    await allAvailable(3);
    const before = uids();
    fixture.change(template("app:bad"));
    await eventually(() => expect(images()).toContain("app:bad"));
    await quiet();
    expect(images().filter((image) => image === "app:bad")).toHaveLength(1);
    fixture.change(template("app:v1"));
    await allAvailable(3);
    expect(uids()).toEqual(before);
    expect(images()).toEqual(["app:v1", "app:v1", "app:v1"]);
    expect(fixture.revisions().map(({ revision }) => revision)).toEqual([2, 3]);
  });

  test("changes nothing when another controller starts", async () => {
    fixture.create();
    await allAvailable(3);
    await quiet();
    const before = fixture.kube.server.requests.filter(({ method }) => method !== "GET").length;
    await fixture.startController();
    await quiet();
    expect(fixture.kube.server.requests.filter(({ method }) => method !== "GET")).toHaveLength(before);
  });

  test("gives up a pod whose labels no longer match, and replaces it", async () => {
    fixture.create();
    await allAvailable(3);
    const name = fixture.pods()[0]?.metadata.name ?? "";
    fixture.kube.server.state.patch(
      PODS,
      { namespace: "shop", name },
      { contentType: "application/merge-patch+json", body: { metadata: { labels: { app: "quarantine" } } } },
    );
    await eventually(() => expect(fixture.pods()).toHaveLength(4));
    await allAvailable(3);
    expect(fixture.pods().find(({ metadata }) => metadata.name === name)?.metadata.ownerReferences ?? []).toEqual([]);
  });

  test("goes on to the next pod only when the one before has been ready for minReadySeconds", async () => {
    fixture.create({ replicas: 2, minReadySeconds: 2 });
    await eventually(() => expect(fixture.cloneSet().status).toMatchObject({ readyReplicas: 2, availableReplicas: 0 }));
    await allAvailable(2);
    fixture.change(template("app:v2"));
    await eventually(() => expect(fixture.cloneSet().status).toMatchObject({ updatedReadyReplicas: 1 }));
    await quiet();
    expect([...images()].sort()).toEqual(["app:v1", "app:v2"]);
    await allAvailable(2, 15_000); // two pods, each 2 s after it is ready, and restarts in between
  }, 30_000);

  test("takes another name when a stranger's revision has taken its own", async () => {
    fixture.create({ replicas: 1 });
    await allAvailable(1);
    const [own] = fixture.revisions();
    const { state } = fixture.kube.server;
    state.delete(CLONE_SETS, { namespace: "shop", name: "web" });
    await eventually(() => expect(fixture.revisions()).toEqual([]));
    const stranger = { metadata: { name: own?.metadata.name ?? "" }, revision: 1, data: { spec: {} } };
    state.create(CONTROLLER_REVISIONS, { ...stranger, apiVersion: "apps/v1", kind: "ControllerRevision" }, "shop");
    fixture.create({ replicas: 1 });
    await allAvailable(1);
    expect(fixture.cloneSet().status).toMatchObject({ collisionCount: 1 });
    expect(fixture.cloneSet().status?.updateRevision).not.toBe(own?.metadata.name);
  });

  test("keeps only the revisions of its history limit beside those in use", async () => {
    fixture.create({ revisionHistoryLimit: 1 });
    await allAvailable(3);
    for (const image of ["app:v2", "app:v3", "app:v4"]) {
      fixture.change(template(image));
      await allAvailable(3);
    }
    await eventually(() => expect(fixture.revisions().map(({ revision }) => revision)).toEqual([3, 4]));
  });
});
