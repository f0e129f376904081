import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { PodRestart, PodRestartStatus, RestartRequest } from "../../../src/api/node-pod-restart.js";
import { liveEnvHash } from "../../../src/core/values/env-from-metadata.js";
import { plainHash } from "../../../src/core/values/hash.js";
import { eventually } from "../../support/eventually.js";
import { type AgentFixture, NODE, POD, startAgentFixture } from "./agent-fixture.js";

const NAMES = ["CONFIG"];
const WANTED = liveEnvHash(NAMES, new Map([["CONFIG", "new"]]));
const DRAIN = { preStop: { exec: { command: ["/drain"] } } };

let node: AgentFixture;

beforeEach(async () => {
  node = await startAgentFixture();
});

afterEach(async () => {
  await node.stop();
});

function runApp(extra: object = {}) {
  return node.run({ name: "app", hash: "b", envs: [{ key: "CONFIG", value: "old" }], ...extra });
}

function stopOf(id: string, overrides: Partial<RestartRequest> = {}): RestartRequest {
  const condition = { envNames: NAMES, stopWhile: { envHashNot: WANTED } };
  return { id: `stop ${id}`, container: "app", containerID: `containerd://${id}`, ...condition, runPreStop: true, ...overrides };
}

function forPod(...requests: RestartRequest[]): readonly PodRestart[] {
  return [{ ...POD, requests }];
}

function report(): PodRestartStatus | undefined {
  return node.object().status?.podRestartStatuses?.find(({ uid }) => uid === POD.uid);
}

function stateOf(id: string): string {
  return node.cri.world.containers.get(id).state;
}

async function untilReported(check: (status: PodRestartStatus | undefined) => void, timeoutMs?: number): Promise<void> {
  await eventually(() => check(report()), timeoutMs);
}

function quiet(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

describe("the agent, asked to stop one instance", () => {
  test("stops it, leaves the others, and reports the next with its hashes in one write", async () => {
    const app = runApp();
    const proxy = node.run({ name: "proxy" });
    await node.startAgent();
    node.ask(forPod(stopOf(app.id)));
    await untilReported((status) => expect(status?.containers?.find(({ name }) => name === "app")?.restartCount).toBe(1));
    const facts = report()?.containers?.find(({ name }) => name === "app");
    expect(facts).toMatchObject({ state: "Running", envHash: WANTED });
    expect(facts?.containerID).not.toBe(`containerd://${app.id}`);
    expect(report()?.results).toEqual([{ id: `stop ${app.id}`, phase: "Stopped" }]);
    expect(stateOf(proxy.id)).toBe("CONTAINER_RUNNING");
    expect(node.object().status?.observedGeneration).toBe(node.object().metadata.generation);
    expect(node.statusWrites()).toBe(1);
    expect(node.events).toMatchObject([{ type: "Normal", reason: "ContainerStopped", regarding: { kind: "NodePodRestart", name: NODE } }]);
    expect(JSON.stringify(node.object().status)).not.toContain('new"');
  });

  test("falls silent when nothing is left to wait for", async () => {
    const app = runApp();
    await node.startAgent();
    node.ask(forPod(stopOf(app.id)));
    await untilReported((status) => expect(status?.containers?.[0]?.restartCount).toBe(1));
    await quiet(50);
    const before = { calls: node.calls("ListContainers"), requests: node.kube.server.requests.length };
    await quiet(400);
    expect({ calls: node.calls("ListContainers"), requests: node.kube.server.requests.length }).toEqual(before);
  });

  test("stops nothing when the env is already the wanted one", async () => {
    const app = runApp({ envs: [{ key: "CONFIG", value: "new" }] });
    await node.startAgent();
    node.ask(forPod(stopOf(app.id)));
    await untilReported((status) =>
      expect(status?.results).toEqual([{ id: `stop ${app.id}`, phase: "Skipped", reason: "EnvAlreadyApplied" }]),
    );
    expect(node.calls("StopContainer")).toBe(0);
    expect(report()?.containers).toMatchObject([{ name: "app", envHash: WANTED }]);
  });

  test("fails the request when the runtime does not tell the env", async () => {
    node.cri.world.faults.hasNoVerboseInfo = true;
    const app = runApp();
    await node.startAgent();
    node.ask(forPod(stopOf(app.id)));
    await untilReported((status) => expect(status?.results).toMatchObject([{ phase: "Failed", reason: "EnvUnreadable" }]));
    expect(stateOf(app.id)).toBe("CONTAINER_RUNNING");
  });

  test("stops only once per instance when the next one has the wrong env too", async () => {
    node.kubeletEnv = "stale";
    const app = runApp();
    await node.startAgent();
    node.ask(forPod(stopOf(app.id)));
    await untilReported((status) => expect(status?.containers?.[0]).toMatchObject({ restartCount: 1, state: "Running" }));
    expect(report()?.containers?.[0]?.envHash).not.toBe(WANTED);
    await quiet(300);
    expect(node.calls("StopContainer")).toBe(1);
  });

  test("stops an instance of another pod under no circumstances", async () => {
    const [other] = node.cri.world.runPod({ namespace: "shop", name: "web-1", uid: "uid-2" }, [{ name: "app" }]);
    await node.startAgent();
    node.ask(forPod(stopOf(other?.id ?? "")));
    await eventually(() => expect(node.calls("ListContainers")).toBeGreaterThan(0));
    await quiet(300);
    expect(node.calls("StopContainer")).toBe(0);
  });
});

describe("the agent, with a preStop handler", () => {
  test("writes Stopping before preStop runs, then runs it and takes its time from the grace", async () => {
    const phases: (string | undefined)[] = [];
    node.cri.world.answerExec = async () => {
      phases.push(report()?.results?.[0]?.phase);
      return { exitCode: 3 };
    };
    const app = runApp(DRAIN);
    await node.startAgent();
    node.ask(forPod(stopOf(app.id)));
    await untilReported((status) => expect(status?.containers?.[0]?.restartCount).toBe(1));
    expect(phases).toEqual(["Stopping"]);
    expect(node.events.map(({ reason }) => reason)).toEqual(["PreStopFailed", "ContainerStopped"]);
  });

  test("does not repeat preStop after being killed in it, but stops", async () => {
    node.cri.world.answerExec = () => new Promise(() => undefined);
    const app = runApp(DRAIN);
    const first = await node.startAgent();
    node.ask(forPod(stopOf(app.id)));
    await eventually(() => expect(node.cri.world.execs).toHaveLength(1));
    await first.kill();
    expect(stateOf(app.id)).toBe("CONTAINER_RUNNING");
    await node.startAgent();
    await untilReported((status) => expect(status?.containers?.[0]?.restartCount).toBe(1));
    expect(node.cri.world.execs).toHaveLength(1);
    expect(node.calls("StopContainer")).toBe(1);
  });

  test("runs preStop once although the answer to writing Stopping was lost", async () => {
    const app = runApp(DRAIN);
    await node.startAgent();
    node.kube.server.faults.add({ method: "PATCH", path: /status/ }, { type: "cutAfterReply" });
    node.ask(forPod(stopOf(app.id)));
    await untilReported((status) => expect(status?.containers?.[0]?.restartCount).toBe(1));
    expect(node.cri.world.execs.length).toBeLessThanOrEqual(1);
    expect(node.calls("StopContainer")).toBe(1);
  });

  test("does not stop what is withdrawn while preStop runs", async () => {
    node.cri.world.answerExec = () => new Promise(() => undefined);
    const app = runApp(DRAIN);
    await node.startAgent();
    node.ask(forPod(stopOf(app.id)));
    await eventually(() => expect(node.cri.world.execs).toHaveLength(1));
    node.ask([]);
    await quiet(300);
    expect(node.calls("StopContainer")).toBe(0);
    expect(stateOf(app.id)).toBe("CONTAINER_RUNNING");
  });
});

describe("the agent, when things fail", () => {
  test("repeats a stop whose answer was bad while the instance runs, and no longer", async () => {
    node.cri.world.faults.stop = "answers-but-runs";
    const app = runApp();
    await node.startAgent();
    node.ask(forPod(stopOf(app.id)));
    await eventually(() => expect(node.calls("StopContainer")).toBeGreaterThanOrEqual(2));
    node.cri.world.faults.stop = undefined;
    await untilReported((status) => expect(status?.containers?.[0]?.restartCount).toBe(1));
    const stops = node.calls("StopContainer");
    await quiet(400);
    expect(node.calls("StopContainer")).toBe(stops);
  });

  test("does not stop again what died although the answer was an error", async () => {
    node.cri.world.faults.stop = "fails-but-dies";
    const app = runApp();
    await node.startAgent();
    node.ask(forPod(stopOf(app.id)));
    await untilReported((status) => expect(status?.containers?.[0]?.restartCount).toBe(1));
    expect(node.calls("StopContainer")).toBe(1);
    expect(node.events.map(({ reason }) => reason)).toContain("StopFailed");
  });

  test("goes on when the runtime comes back", async () => {
    const app = runApp();
    await node.startAgent();
    node.cri.server.goAway();
    node.ask(forPod(stopOf(app.id)));
    await quiet(300);
    await node.cri.server.comeBack();
    await untilReported((status) => expect(status?.containers?.[0]?.restartCount).toBe(1), 10_000);
    expect(node.calls("StopContainer")).toBe(1);
  }, 15_000);

  test("writes its report when the API server is back", async () => {
    const app = runApp();
    await node.startAgent();
    node.kube.server.faults.add({ method: "PATCH", path: /status/, times: 3 }, { type: "status", code: 409, reason: "Conflict" });
    node.ask(forPod(stopOf(app.id)));
    await untilReported((status) => expect(status?.containers?.[0]?.restartCount).toBe(1));
  });

  test("a second start with settled pods touches neither runtime nor API server", async () => {
    const app = runApp();
    const first = await node.startAgent();
    node.ask(forPod(stopOf(app.id)));
    await untilReported((status) => expect(status?.containers?.[0]?.restartCount).toBe(1));
    node.ask([]);
    await eventually(() => expect(node.object().status?.podRestartStatuses).toEqual([]), 8_000);
    await first.kill();
    const writes = node.statusWrites();
    const stops = node.calls("StopContainer");
    await node.startAgent();
    await quiet(6_000);
    expect(node.statusWrites()).toBe(writes);
    expect(node.calls("StopContainer")).toBe(stops);
  }, 30_000);
});

describe("the agent, asked to observe", () => {
  test("reports the instance with the awaited hash as soon as the kubelet has started it, and stops nothing", async () => {
    const image = "registry.test/app:v2";
    const awaited = plainHash({ name: "app", image });
    const app = runApp();
    await node.startAgent();
    node.ask(forPod({ id: "watch", container: "app", observe: true, untilPlainHash: awaited, envNames: NAMES }));
    await eventually(() => expect(node.calls("ListContainers")).toBeGreaterThan(1));
    node.isKubeletPaused = true;
    await node.cri.world.containers.stop(app.id, 0, new AbortController().signal);
    const next = node.run({ name: "app", image, hash: awaited.toString(16), restartCount: 1, envs: [{ key: "CONFIG", value: "new" }] });
    await untilReported((status) =>
      expect(status?.containers?.[0]).toMatchObject({ containerID: `containerd://${next.id}`, plainHash: awaited, envHash: WANTED }),
    );
    expect(node.calls("StopContainer")).toBe(0);
    await quiet(50);
    const looks = node.calls("ListContainers");
    await quiet(400);
    expect(node.calls("ListContainers")).toBe(looks);
  });
});
