import { afterEach, describe, expect, test } from "@jest/globals";
import type { ContainerStatus } from "../../../../src/api/pod.js";
import { EVENTS, PODS } from "../../../../src/api/resources.js";
import { type KubeletLab, startKubeletLab, V2 } from "./kubelet-lab.js";

const POD = { namespace: "shop", name: "web-0" };

let lab: KubeletLab;

afterEach(() => lab.stop());

function app(): ContainerStatus | undefined {
  return lab.status().containerStatuses?.find(({ name }) => name === "app");
}

function ids(): readonly string[] {
  return lab.world.containers.list().map(({ id }) => id);
}

function deletePod(gracePeriodSeconds?: number): void {
  lab.state.delete(PODS, POD, { gracePeriodSeconds });
}

describe("a kubelet that is restarted", () => {
  test("adopts what runs: no container is touched and no status written", async () => {
    lab = await startKubeletLab();
    const [before, written] = [ids(), lab.statuses.length];
    await lab.stopKubelet();
    await lab.clock.advance(5_000);
    lab.startKubelet();
    await lab.clock.advance(10_000);
    expect(ids()).toEqual(before);
    expect(lab.statuses.length).toBe(written);
  });

  test("restarts what died meanwhile, once, with the metadata of now", async () => {
    lab = await startKubeletLab();
    await lab.stopKubelet();
    lab.patch({ metadata: { annotations: { config: "two" } } });
    lab.world.containers.exit(lab.latest("app").id, 3);
    const side = lab.latest("side").id;
    await lab.clock.advance(30_000);
    lab.startKubelet();
    await lab.clock.advance(3_000);
    expect(lab.latest("app")).toMatchObject({ attempt: 1, state: "CONTAINER_RUNNING", envs: [{ key: "CONFIG", value: "two" }] });
    expect(app()).toMatchObject({ ready: true, restartCount: 1, lastState: { terminated: { exitCode: 3 } } });
    expect(lab.latest("side").id).toBe(side);
  });

  test("forgets its back-off", async () => {
    lab = await startKubeletLab();
    lab.world.containers.exit(lab.latest("app").id, 1);
    await lab.clock.advance(2_000);
    lab.world.containers.exit(lab.latest("app").id, 1);
    await lab.stopKubelet();
    lab.startKubelet();
    await lab.clock.advance(500);
    expect(lab.latest("app")).toMatchObject({ attempt: 2, state: "CONTAINER_RUNNING" });
  });

  test("starts a container anew that it had created and not started", async () => {
    lab = await startKubeletLab();
    lab.patch({ spec: { containers: [{ name: "app", image: V2 }] } });
    while (lab.latest("app").state !== "CONTAINER_CREATED") await lab.clock.advance(5);
    await lab.stopKubelet();
    await lab.clock.advance(1_000);
    expect(lab.latest("app")).toMatchObject({ attempt: 1, state: "CONTAINER_CREATED" });
    lab.startKubelet();
    await lab.clock.advance(3_000);
    expect(app()).toMatchObject({ ready: true, restartCount: 2, image: V2 });
  });

  test("kills what is left of a pod that was deleted for good meanwhile", async () => {
    lab = await startKubeletLab();
    await lab.stopKubelet();
    deletePod(0);
    await lab.clock.advance(1_000);
    expect(lab.latest("app").state).toBe("CONTAINER_RUNNING");
    lab.startKubelet();
    await lab.clock.advance(2_000);
    expect([lab.world.containers.list(), lab.world.containers.sandboxes()]).toEqual([[], []]);
  });

  test("ends a pod whose deletion it had not finished", async () => {
    lab = await startKubeletLab({}, { program: { stopMs: 3_000 } });
    deletePod();
    await lab.clock.advance(1_500);
    await lab.stopKubelet();
    await lab.clock.advance(10_000);
    expect(lab.state.list(PODS)).toHaveLength(1);
    lab.startKubelet();
    await lab.clock.advance(3_000);
    expect([lab.state.list(PODS), lab.world.containers.list()]).toEqual([[], []]);
  });

  test("keeps a container ready that it has not probed yet", async () => {
    const readinessProbe = { periodSeconds: 20 };
    lab = await startKubeletLab({ containers: [{ name: "app", image: V2, imagePullPolicy: "IfNotPresent", readinessProbe }] });
    await lab.clock.advance(20_000);
    const written = lab.statuses.length;
    await lab.stopKubelet();
    lab.startKubelet();
    await lab.clock.advance(2_000);
    lab.patch({ metadata: { labels: { any: "change" } } });
    await lab.clock.advance(60_000);
    const shown = lab.statuses.slice(written).map(({ status }) => status.containerStatuses?.[0]?.ready);
    expect(shown).toEqual([true]); // the patch; no status is written
  });
});

describe("a node that is rebooted", () => {
  test("gets new sandboxes and containers with a new address, and restart counts go on", async () => {
    lab = await startKubeletLab();
    const before = lab.status().podIP;
    await lab.stopKubelet();
    lab.world.reboot();
    await lab.clock.advance(20_000);
    lab.startKubelet();
    await lab.clock.advance(4_000);
    expect(app()).toMatchObject({ ready: true, restartCount: 1, lastState: { terminated: { exitCode: 255, reason: "Unknown" } } });
    expect(lab.status().podIP).not.toBe(before);
    expect(lab.events()).toContain("SandboxChanged: Pod sandbox changed, it will be killed and re-created.");
    const shown = lab.statuses.map(({ status }) => status.containerStatuses?.[0]?.restartCount ?? 0);
    expect([...new Set(shown)]).toEqual([0, 1]);
  });

  test("goes on from the restart count in the status where the runtime has lost everything", async () => {
    lab = await startKubeletLab();
    lab.world.containers.exit(lab.latest("app").id, 1);
    await lab.clock.advance(3_000);
    await lab.stopKubelet();
    for (const { id } of lab.world.containers.sandboxes()) lab.world.containers.removeSandbox(id);
    lab.startKubelet();
    await lab.clock.advance(4_000);
    expect(app()).toMatchObject({ ready: true, restartCount: 2 });
  });
});

describe("a kubelet that is slow", () => {
  test("does nothing while paused, and catches up afterwards", async () => {
    lab = await startKubeletLab();
    lab.kubelet().pace.pause();
    const written = lab.statuses.length;
    lab.world.containers.exit(lab.latest("app").id, 0);
    await lab.clock.advance(60_000);
    expect([lab.latest("app").attempt, lab.statuses.length]).toEqual([0, written]);
    lab.kubelet().pace.resume();
    await lab.clock.advance(2_500);
    expect(app()).toMatchObject({ ready: true, restartCount: 1 });
  });

  test("takes its time for each step", async () => {
    lab = await startKubeletLab();
    lab.kubelet().pace.delayMs = 2_000;
    lab.world.containers.exit(lab.latest("app").id, 0);
    await lab.clock.advance(4_000);
    expect(lab.latest("app").attempt).toBe(0);
    await lab.clock.advance(8_000);
    expect(app()).toMatchObject({ ready: true, restartCount: 1 });
  });

  test("ends at once while it is paused", async () => {
    lab = await startKubeletLab();
    lab.kubelet().pace.pause();
    await lab.clock.advance(5_000);
    await lab.stopKubelet();
    lab.startKubelet();
  });
});

describe("a kubelet without its API server", () => {
  test("learns nothing and keeps containers alive; afterwards it tells the last state and hears of everything", async () => {
    lab = await startKubeletLab();
    lab.api().disconnect();
    const written = lab.statuses.length;
    lab.patch({ spec: { containers: [{ name: "side", image: V2 }] } });
    lab.world.containers.exit(lab.latest("app").id, 3);
    await lab.clock.advance(20_000);
    expect(lab.latest("app")).toMatchObject({ attempt: 1, state: "CONTAINER_RUNNING" });
    expect(lab.latest("side").attempt).toBe(0);
    expect(lab.statuses.length).toBe(written + 1); // the patch
    lab.api().reconnect();
    await lab.clock.advance(2_500);
    expect(app()).toMatchObject({ ready: true, restartCount: 1 });
    expect(lab.latest("side")).toMatchObject({ attempt: 1, image: V2 });
  });

  test("loses what was under way to it", async () => {
    lab = await startKubeletLab();
    lab.patch({ spec: { containers: [{ name: "side", image: V2 }] } });
    await lab.clock.advance(9); // of 10
    lab.api().disconnect();
    await lab.clock.advance(5_000);
    expect(lab.latest("side").attempt).toBe(0);
  });

  test("hears of a deletion by the next list, and that other pod of the same name is another one", async () => {
    lab = await startKubeletLab();
    const old = lab.latest("app").id;
    const { spec } = lab.pod();
    lab.api().disconnect();
    deletePod(0);
    lab.state.create(PODS, { metadata: { name: POD.name }, spec: { ...spec } }, POD.namespace);
    await lab.clock.advance(3_000);
    expect(ids()).toContain(old);
    lab.api().reconnect();
    await lab.clock.advance(6_000);
    expect(ids()).not.toContain(old);
    expect(app()).toMatchObject({ ready: true, restartCount: 0 });
  });

  test("finishes a deletion when it is back", async () => {
    lab = await startKubeletLab();
    deletePod();
    await lab.clock.advance(200);
    lab.api().disconnect();
    await lab.clock.advance(5_000);
    expect(lab.state.list(PODS)).toHaveLength(1);
    lab.api().reconnect();
    await lab.clock.advance(100);
    expect(lab.state.list(PODS)).toEqual([]);
  });
});

describe("a kubelet behind its rate limit", () => {
  test("hears and acts meanwhile; afterwards it tells the last state once", async () => {
    lab = await startKubeletLab();
    lab.api().holdWrites();
    const written = lab.statuses.length;
    lab.patch({ spec: { containers: [{ name: "side", image: V2 }] } });
    await lab.clock.advance(5_000);
    expect(lab.latest("side")).toMatchObject({ attempt: 1, image: V2 });
    expect(lab.statuses.length).toBe(written + 1); // the patch
    lab.api().releaseWrites();
    expect(lab.statuses.length).toBe(written + 2);
  });
});

describe("the node's feed of pods", () => {
  test("never lets a change overtake another one, however long each takes", async () => {
    lab = await startKubeletLab();
    await lab.stopKubelet();
    const lags = [300, 10, 200, 0];
    const { createNodeApi } = await import("../../../../src/sim/kubelet/node-api.js");
    const api = createNodeApi({ state: lab.state, clock: lab.clock, nodeName: "node1", lagMs: () => lags.shift() ?? 0 });
    const seen: string[] = [];
    const unwatch = api.watchPods({
      pod: (_uid, pod) => seen.push(pod?.metadata.annotations?.["config"] ?? "gone"),
      listed: () => seen.push("listed"),
    });
    lab.patch({ metadata: { annotations: { config: "two" } } });
    await lab.clock.advance(50);
    lab.patch({ metadata: { annotations: { config: "three" } } });
    await lab.clock.advance(249);
    expect(seen).toEqual([]);
    await lab.clock.advance(1);
    expect(seen).toEqual(["one", "listed", "two", "three"]);
    unwatch();
  });
});

describe("a container that somebody else removes", () => {
  test("before it has started, is tried again at the next look", async () => {
    lab = await startKubeletLab();
    lab.patch({ spec: { containers: [{ name: "app", image: V2 }] } });
    while (lab.latest("app").state !== "CONTAINER_CREATED") await lab.clock.advance(5);
    lab.world.containers.remove(lab.latest("app").id);
    await lab.clock.advance(2_500);
    const shown = lab.statuses.map(({ status }) => status.containerStatuses?.[0]?.state?.waiting?.reason);
    expect(shown).toContain("RunContainerError");
    expect(lab.events().some((text) => text.startsWith("Failed: Error: an error occurred when try to find container"))).toBe(true);
    expect(app()).toMatchObject({ ready: true, image: V2 });
  });

  test("while it runs, starts anew, and its restart is counted", async () => {
    lab = await startKubeletLab();
    lab.world.containers.remove(lab.latest("app").id);
    await lab.clock.advance(2_500);
    expect(app()).toMatchObject({ ready: true, restartCount: 1 });
  });
});

describe("garbage collection", () => {
  test("keeps one dead instance of each container", async () => {
    lab = await startKubeletLab();
    const first = lab.latest("app").id;
    lab.world.containers.exit(first, 1);
    await lab.clock.advance(2_000);
    const second = lab.latest("app").id;
    expect(ids()).toContain(first);
    lab.world.containers.exit(second, 1);
    await lab.clock.advance(1_000);
    expect([ids().includes(first), ids().includes(second)]).toEqual([false, true]);
    expect(lab.world.containers.list().filter(({ name }) => name === "side")).toHaveLength(1);
    await lab.clock.advance(15_000);
    expect(app()).toMatchObject({ ready: true, restartCount: 2 });
  });

  test("removes the old sandbox when nothing is left in it", async () => {
    lab = await startKubeletLab();
    lab.world.reboot();
    await lab.clock.advance(3_000);
    expect(lab.world.containers.sandboxes()).toHaveLength(2); // the dead containers are kept
    for (const { id, state } of lab.world.containers.list()) if (state === "CONTAINER_RUNNING") lab.world.containers.exit(id, 1);
    await lab.clock.advance(1_000);
    expect(lab.world.containers.sandboxes()).toHaveLength(1);
  });
});

describe("deletion", () => {
  test("with no grace leaves nothing behind, although the API server forgets the pod at once", async () => {
    lab = await startKubeletLab();
    deletePod(0);
    expect(lab.state.list(PODS)).toEqual([]);
    await lab.clock.advance(3_000);
    expect([lab.world.containers.list(), lab.world.containers.sandboxes()]).toEqual([[], []]);
  });

  test("runs preStop once before it asks, within the grace period", async () => {
    const lifecycle = { preStop: { exec: { command: ["drain"] } } };
    lab = await startKubeletLab({ containers: [{ name: "app", image: V2, imagePullPolicy: "IfNotPresent", lifecycle }] });
    lab.world.answerExec = async (_call, signal) => {
      await lab.clock.sleep(2_000, signal);
      return { exitCode: 1 };
    };
    deletePod();
    await lab.clock.advance(1_900);
    expect(lab.latest("app").state).toBe("CONTAINER_RUNNING");
    await lab.clock.advance(2_000);
    expect(lab.state.list(PODS)).toEqual([]);
    expect(lab.world.execs.map(({ command, timeoutSeconds }) => [command, timeoutSeconds])).toEqual([[["drain"], 5]]);
    const events = lab.state.list(EVENTS, POD.namespace).map((event) => event["reason"]);
    expect(events).toContain("FailedPreStopHook");
  });

  test("waits for preStop no longer than the grace period, and leaves two seconds to end", async () => {
    const lifecycle = { preStop: { sleep: { seconds: 60 } } };
    const spec = { containers: [{ name: "app", image: V2, imagePullPolicy: "IfNotPresent", lifecycle }] };
    lab = await startKubeletLab(spec, { program: { heedsTerm: false } });
    const startMs = lab.clock.monotonicMs();
    deletePod();
    while (lab.latest("app").state === "CONTAINER_RUNNING") await lab.clock.advance(10);
    expect(Math.round((lab.clock.monotonicMs() - startMs) / 100) / 10).toBeCloseTo(7, 0);
  });
});
