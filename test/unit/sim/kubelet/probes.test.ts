import { afterEach, describe, expect, test } from "@jest/globals";
import type { ContainerStatus } from "../../../../src/api/pod.js";
import type { Probe } from "../../../../src/sim/kubelet/pod-spec.js";
import { type KubeletLab, startKubeletLab, V1 } from "./kubelet-lab.js";

let lab: KubeletLab;

afterEach(() => lab.stop());

/** The pod runs since 2 s or a little less. */
async function start(probes: { readonly readinessProbe?: Probe; readonly startupProbe?: Probe }, answersAfterMs = 0): Promise<void> {
  const containers = [{ name: "app", image: V1, imagePullPolicy: "IfNotPresent", ...probes }];
  lab = await startKubeletLab({ containers }, { program: { answersAfterMs } });
}

function app(): ContainerStatus | undefined {
  return lab.status().containerStatuses?.[0];
}

function isReady(): boolean {
  return lab.status().conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

/** How long the container that runs now has been running. */
async function untilMs(holds: () => boolean): Promise<number> {
  const startedMs = Number(lab.latest("app").startedAtNs / 1_000_000n);
  for (let steps = 0; !holds(); steps++) {
    if (steps > 20_000) throw new Error("it never holds");
    await lab.clock.advance(10);
  }
  return lab.clock.nowMs() - startedMs;
}

describe("readiness probes", () => {
  test("make a container and its pod ready only once they pass", async () => {
    await start({ readinessProbe: { periodSeconds: 2 } }, 15_000);
    await lab.clock.advance(10_000);
    expect([app()?.ready, app()?.started, isReady()]).toEqual([false, true, false]);
    const readyMs = await untilMs(isReady);
    expect(readyMs).toBeGreaterThanOrEqual(15_000);
    expect(readyMs).toBeLessThanOrEqual(17_100);
    expect(app()?.ready).toBe(true);
  });

  test("do not begin before their initial delay, and take as many successes as they ask for", async () => {
    await start({ readinessProbe: { periodSeconds: 1, initialDelaySeconds: 8, successThreshold: 3 } });
    const readyMs = await untilMs(isReady);
    expect(readyMs).toBeGreaterThanOrEqual(10_000);
    expect(readyMs).toBeLessThanOrEqual(11_100);
  });

  test("make it unready after as many failures as they ask for, and not before; it is not killed", async () => {
    await start({ readinessProbe: { periodSeconds: 1, failureThreshold: 4 } });
    await untilMs(isReady);
    const { id } = lab.latest("app");
    let probes = 0;
    lab.world.passesProbe = () => ++probes > 1_000;
    while (probes < 3) await lab.clock.advance(100);
    expect(isReady()).toBe(true);
    await lab.clock.advance(1_100);
    expect([isReady(), app()?.ready]).toEqual([false, false]);
    await lab.clock.advance(60_000);
    expect(lab.latest("app").id).toBe(id);
  });

  test("start anew with the next instance", async () => {
    await start({ readinessProbe: { periodSeconds: 1 } }, 3_000);
    await untilMs(isReady);
    lab.world.containers.exit(lab.latest("app").id, 0);
    await lab.clock.advance(2_500);
    expect(app()).toMatchObject({ restartCount: 1, ready: false });
    const readyMs = await untilMs(isReady);
    expect(readyMs).toBeGreaterThanOrEqual(3_000);
    expect(readyMs).toBeLessThanOrEqual(4_100);
  });
});

describe("startup probes", () => {
  test("hold back readiness until they pass", async () => {
    await start({ startupProbe: { periodSeconds: 1, failureThreshold: 60 }, readinessProbe: { periodSeconds: 1 } }, 6_000);
    await lab.clock.advance(2_000);
    expect(app()).toMatchObject({ started: false, ready: false });
    const readyMs = await untilMs(isReady);
    expect(readyMs).toBeGreaterThanOrEqual(6_000);
    expect(readyMs).toBeLessThanOrEqual(8_200);
    expect(app()?.started).toBe(true);
  });

  test("that fail too often end the container, which starts again", async () => {
    await start({ startupProbe: { periodSeconds: 2, failureThreshold: 3 } }, 1_000_000);
    const { id } = lab.latest("app");
    const killedMs = await untilMs(() => lab.latest("app").id !== id);
    expect(killedMs).toBeGreaterThanOrEqual(4_000);
    expect(killedMs).toBeLessThanOrEqual(9_000);
    expect(lab.events()).toContain("Killing: Container app failed startup probe, will be restarted");
  });
});

describe("probes", () => {
  test("leave no timer behind that goes on when the kubelet ends", async () => {
    await start({ readinessProbe: { periodSeconds: 1 } });
    await untilMs(isReady);
    await lab.stopKubelet();
    let probes = 0;
    lab.world.passesProbe = () => ++probes > 0;
    await lab.clock.advance(20_000);
    expect(probes).toBe(0);
  });
});
