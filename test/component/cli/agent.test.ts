import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { NodeImage } from "../../../src/api/node-image.js";
import type { NodePodRestart } from "../../../src/api/node-pod-restart.js";
import { NODE_IMAGES, NODE_POD_RESTARTS } from "../../../src/api/resources.js";
import { liveEnvHash } from "../../../src/core/values/env-from-metadata.js";
import { customKind } from "../../../src/sim/api-server/served-kinds.js";
import type { PodContainer } from "../../../src/sim/runtime/runtime-world.js";
import { type SimRuntime, startRuntime } from "../../../src/sim/runtime/runtime-server.js";
import { eventually } from "../../support/eventually.js";
import { type ClusterModel, startClusterModel } from "./cluster-model.js";
import { buildProduct, type Product, type ProductProcess } from "./product.js";

const NODE = "node-a";
const POD = { namespace: "shop", name: "web-0", uid: "uid-1" };
const CANARY = "canary-value-of-an-env-entry";
/** Of the image's Node with the image's flags, right after the start. The goal after use is 64, the bound of the issue 76. */
const RSS_BUDGET_MIB = 90;

let product: Product;
let cluster: ClusterModel;
let runDirectory: string;
let runtime: SimRuntime;

beforeAll(async () => {
  product = await buildProduct();
});

afterAll(async () => {
  await product.remove();
});

beforeEach(async () => {
  cluster = await startClusterModel();
  runDirectory = await mkdtemp(join(tmpdir(), "podmend-run-"));
  runtime = await startRuntime({ socketPath: join(runDirectory, "containerd.sock") });
  for (const { kind, group, version } of [NODE_IMAGES, NODE_POD_RESTARTS]) {
    const resource = kind === "NodeImage" ? NODE_IMAGES : NODE_POD_RESTARTS;
    cluster.state.create(resource, { apiVersion: `${group}/${version}`, kind, metadata: { name: NODE }, spec: {} });
  }
});

const agents: ProductProcess[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.end("SIGKILL");
  runtime.close();
  await cluster.close();
  await rm(runDirectory, { recursive: true, force: true });
});

function startAgent(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): ProductProcess {
  const own = ["--addr=127.0.0.1:0", `--run-directory=${runDirectory}`, "--socket-file=containerd.sock", "-v=4"];
  const gates = "--feature-gates=ImagePullJobGate=true";
  const agent = product.start(["agent", ...own, gates, ...cluster.args, ...args], { NODE_NAME: NODE, ...cluster.env, ...env });
  agents.push(agent);
  return agent;
}

async function ready(agent: ProductProcess, timeoutMs?: number): Promise<void> {
  await agent.readyz(({ status, text }) => expect({ status, text }).toMatchObject({ status: 200 }), timeoutMs);
}

describe("a started agent", () => {
  test("becomes ready, restarts and pulls as its objects ask, tells no env value, and ends in good order on SIGTERM", async () => {
    const app = { name: "app", envs: [{ key: "CONFIG", value: CANARY }] };
    const [container] = runtime.world.runPod(POD, [app]);
    bringBackOnce({ ...app, restartCount: 1 });
    runtime.world.images.publish({ reference: "registry.test/tool:v1", sizeBytes: 1_000 });
    const agent = startAgent();
    await ready(agent);
    const wanted = liveEnvHash(["CONFIG"], new Map([["CONFIG", "other"]]));
    const request = { id: "r1", container: "app", containerID: `containerd://${String(container?.id)}`, envNames: ["CONFIG"] };
    ask(NODE_POD_RESTARTS, { podRestarts: [{ ...POD, requests: [{ ...request, stopWhile: { envHashNot: wanted } }] }] });
    ask(NODE_IMAGES, { images: { "registry.test/tool": { tags: [{ tag: "v1", version: 1 }] } } });
    await eventually(() => {
      expect(nodePodRestart().status?.podRestartStatuses?.[0]?.results).toEqual([{ id: "r1", phase: "Stopped" }]);
      expect(nodeImage().status).toMatchObject({ succeeded: 1 });
    });
    const metrics = (await agent.get("/metrics")).text;
    expect(metrics).toMatch(/podmend_container_stops_total\{[^}]*\} 1/);
    expect(metrics).toMatch(/podmend_image_pulls_total\{[^}]*\} 1/);
    expect(await agent.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(agent.stderr).toBe("");
    expect(agent.log().filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
    const everything = agent.stdout + metrics + JSON.stringify([nodePodRestart(), nodeImage(), cluster.server().requests]);
    for (const secret of [CANARY, cluster.token]) expect(everything).not.toContain(secret);
  });

  test("stays small", async () => {
    const agent = startAgent(["-v=2"]);
    await ready(agent);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const rssMiB = agent.rssMiB();
    console.log(`agent, 5 s after its start: ${rssMiB.toFixed(1)} MiB of ${RSS_BUDGET_MIB} MiB (Node ${process.version})`);
    expect(rssMiB).toBeLessThan(RSS_BUDGET_MIB);
  }, 20_000);
});

describe("an agent that misses something", () => {
  test("names the runtime's socket until one appears", async () => {
    runtime.goAway();
    const agent = startAgent();
    await agent.readyz(({ status, text }) => {
      expect(status).toBe(503);
      expect(text).toContain("[-]runtime failed: ");
      expect(text).toContain(`${runDirectory}/containerd.sock`);
      expect(text).toContain("[+]node-images-synced ok");
    });
    expect((await agent.get("/livez")).status).toBe(200);
    await runtime.comeBack();
    await ready(agent, 8_000);
    runtime.goAway();
  }, 20_000);

  test("looks at all known sockets when none is named, and says so", async () => {
    runtime.goAway();
    const agent = startAgent(["--socket-file="]);
    await agent.readyz(({ text }) => {
      for (const name of ["containerd.sock", "crio/crio.sock", "cri-dockerd.sock"]) expect(text).toContain(`${runDirectory}/${name}`);
    });
    await runtime.comeBack();
    await ready(agent, 8_000);
  }, 20_000);

  test("names the API server until it answers", async () => {
    const { url } = cluster.server();
    await cluster.stopServer();
    const agent = startAgent();
    await agent.readyz(({ status, text }) => {
      expect(status).toBe(503);
      expect(text).toContain("[+]runtime ok");
      expect(text).toMatch(/\[-\]node-pod-restarts-synced failed: .*ECONNREFUSED/);
      expect(text).toContain(new URL(url).host);
    });
    await cluster.startServer();
    await ready(agent, 15_000);
    expect(agent.hasEnded).toBe(false);
  }, 30_000);

  test("names a kind that is not installed until it is", async () => {
    cluster.state.removeKind(NODE_POD_RESTARTS);
    const agent = startAgent();
    await agent.readyz(({ status, text }) => {
      expect(status).toBe(503);
      expect(text).toMatch(/\[-\]node-pod-restarts-synced failed: .*nodepodrestarts/);
      expect(text).toContain("[+]node-images-synced ok");
    });
    cluster.state.addKind(customKind(NODE_POD_RESTARTS));
    await ready(agent, 15_000);
  }, 30_000);

  test("names the token file that it cannot read", async () => {
    const agent = startAgent(["--service-account-directory=/nowhere"]);
    await agent.readyz(({ status, text }) => {
      expect(status).toBe(503);
      expect(text).toContain("/nowhere/");
    });
  });
});

/** The kubelet's part in a restart. */
function bringBackOnce(next: PodContainer): void {
  const unwatch = runtime.world.containers.watch(({ type, container }) => {
    if (type !== "CONTAINER_STOPPED_EVENT") return;
    unwatch();
    setTimeout(() => runtime.world.runContainer({ id: container.sandboxId }, POD, next), 50);
  });
}

function ask(resource: typeof NODE_IMAGES, spec: object): void {
  cluster.state.patch(resource, { name: NODE }, { contentType: "application/merge-patch+json", body: { spec } });
}

function nodePodRestart(): NodePodRestart {
  return cluster.state.get(NODE_POD_RESTARTS, { name: NODE }) as unknown as NodePodRestart;
}

function nodeImage(): NodeImage {
  return cluster.state.get(NODE_IMAGES, { name: NODE }) as unknown as NodeImage;
}
