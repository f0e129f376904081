import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { NODES, PODS } from "../../../src/api/resources.js";
import type { SimContainer } from "../../../src/sim/runtime/entities.js";
import { eventually } from "../../support/eventually.js";
import { type AgentFixture, NODE, type RunningAgent, startAgentFixture } from "./agent-fixture.js";
import { createPod, setStatus, startController } from "./controller-fixture.js";

const POD_COUNT = 12;

let node: AgentFixture;
let agent: RunningAgent;
let stopController: () => Promise<void>;
let stops: string[];

beforeEach(async () => {
  node = await startAgentFixture();
  const { state } = node.kube.server;
  state.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: NODE } });
  stops = [];
  agent = await node.startAgent();
  stopController = await startController(node.kube);
});

afterEach(async () => {
  await stopController();
  await node.stop();
});

/** A pod in mid-update that runs on the node, with a kubelet that starts its container anew and posts it a second after. */
function runUpdatingPod(name: string): void {
  const { uid = "" } = createPod(node.kube, name, true).metadata;
  const pod = { namespace: "shop", name, uid };
  const { containers } = node.cri.world;
  const [first] = node.cri.world.runPod(pod, [{ name: "app", envs: [{ key: "CONFIG", value: "old" }] }]);
  post(first, 0);
  containers.watch(({ type, container }) => {
    if (type !== "CONTAINER_STOPPED_EVENT" || container.sandboxId !== first?.sandboxId) return;
    stops.push(container.id);
    const restartCount = container.attempt + 1;
    setTimeout(() => {
      const next = node.cri.world.runContainer({ id: container.sandboxId }, pod, {
        name: "app",
        restartCount,
        envs: [{ key: "CONFIG", value: "new" }],
      });
      setTimeout(() => post(next, restartCount), 1_000);
    }, 300);
  });

  function post(container: SimContainer | undefined, restartCount: number): void {
    const isThere = node.kube.server.state.list(PODS, "shop").some(({ metadata }) => metadata.uid === uid);
    if (isThere) setStatus(node.kube, name, { ready: "False", containerID: `containerd://${container?.id ?? ""}`, restartCount });
  }
}

describe("controller and agent together", () => {
  test("restart each container exactly once although both are killed again and again", async () => {
    for (let index = 0; index < POD_COUNT; index++) runUpdatingPod(`web-${index}`);
    for (let kill = 0; kill < 6; kill++) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      await agent.kill();
      agent = await node.startAgent();
      await stopController();
      stopController = await startController(node.kube);
    }
    await eventually(() => {
      const reports = node.object().status?.podRestartStatuses ?? [];
      expect(reports).toHaveLength(POD_COUNT);
      for (const { containers } of reports) expect(containers).toMatchObject([{ restartCount: 1, state: "Running" }]);
    }, 15_000);
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // pod status catches up, and changes nothing
    expect(new Set(stops).size).toBe(POD_COUNT);
    expect(stops).toHaveLength(POD_COUNT);
  }, 30_000);
});
