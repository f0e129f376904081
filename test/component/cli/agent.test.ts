import { afterAll, expect, test } from "@jest/globals";
import { EVENTS, NODE_IMAGES, NODE_POD_RESTARTS } from "../../../src/api/resources.js";
import { liveEnvHash } from "../../../src/core/values/env-from-metadata.js";
import { customKind } from "../../../src/sim/api-server/served-kinds.js";
import { eventually } from "../../support/eventually.js";
import { type AgentLab, expectDocumented, inAgentLab, POD, ready } from "./agent-lab.js";
import { buildProduct } from "./product.js";

const CANARY = "canary-value-of-an-env-entry";
/** Of the image's Node with the image's flags, right after the start. The goal after use is 64, the bound of the issue 76. */
const RSS_BUDGET_MIB = 90;
/** Tests run side by side, which jest does only for those outside of describe: each has its lab, and they mostly wait. */
const TIMEOUT_MS = 40_000;

const building = buildProduct();
const inLab = (body: (lab: AgentLab) => Promise<void>) => (): Promise<void> => inAgentLab(building, body);

afterAll(async () => {
  await (await building).remove();
});

test.concurrent(
  "a started agent becomes ready, restarts and pulls as its objects ask, tells no env value, and ends in good order on SIGTERM",
  inLab(async ({ cluster, runtime, ...lab }) => {
    const app = { name: "app", envs: [{ key: "CONFIG", value: CANARY }] };
    const [container] = runtime.world.runPod(POD, [app]);
    lab.bringBackOnce({ ...app, restartCount: 1 });
    runtime.world.images.publish({ reference: "registry.test/tool:v1", sizeBytes: 1_000 });
    const agent = lab.start();
    await ready(agent);
    const wanted = liveEnvHash(["CONFIG"], new Map([["CONFIG", "other"]]));
    const request = { id: "r1", container: "app", containerID: `containerd://${String(container?.id)}`, envNames: ["CONFIG"] };
    lab.ask(NODE_POD_RESTARTS, { podRestarts: [{ ...POD, requests: [{ ...request, stopWhile: { envHashNot: wanted } }] }] });
    lab.ask(NODE_IMAGES, { images: { "registry.test/tool": { tags: [{ tag: "v1", version: 1 }] } } });
    await eventually(() => {
      expect(lab.nodePodRestart().status?.podRestartStatuses?.[0]?.results).toEqual([{ id: "r1", phase: "Stopped" }]);
      expect(lab.nodeImage().status).toMatchObject({ succeeded: 1 });
    }, 10_000);
    const metrics = (await agent.get("/metrics")).text;
    expect(metrics).toMatch(/podmend_container_stops_total\{[^}]*\} 1/);
    expect(metrics).toMatch(/podmend_image_pulls_total\{[^}]*\} 1/);
    expectDocumented(metrics);
    expect(await agent.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(agent.stderr).toBe("");
    expect(agent.log().filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
    const events = cluster.state.list(EVENTS);
    const everything = agent.stdout + metrics + JSON.stringify([lab.nodePodRestart(), lab.nodeImage(), events, cluster.server().requests]);
    for (const secret of [CANARY, cluster.token]) expect(everything).not.toContain(secret);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a started agent stays small",
  inLab(async (lab) => {
    const agent = lab.start(["-v=2"]);
    await ready(agent, 10_000);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const rssMiB = agent.rssMiB();
    console.log(`agent, 5 s after its start: ${rssMiB.toFixed(1)} MiB of ${RSS_BUDGET_MIB} MiB (Node ${process.version})`);
    expect(rssMiB).toBeLessThan(RSS_BUDGET_MIB);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "an agent that misses something names the runtime's socket until one appears",
  inLab(async ({ runtime, ...lab }) => {
    runtime.goAway();
    const agent = lab.start();
    await agent.readyz(({ status, text }) => {
      expect(status).toBe(503);
      expect(text).toContain("[-]runtime failed: ");
      expect(text).toContain(runtime.socketPath);
      expect(text).toContain("[+]node-images-synced ok");
    });
    expect((await agent.get("/livez")).status).toBe(200);
    await runtime.comeBack();
    await ready(agent, 10_000);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "an agent that misses something looks at all known sockets when none is named, and says so",
  inLab(async ({ runtime, runDirectory, ...lab }) => {
    runtime.goAway();
    const agent = lab.start(["--socket-file="]);
    await agent.readyz(({ text }) => {
      for (const name of ["containerd.sock", "crio/crio.sock", "cri-dockerd.sock"]) expect(text).toContain(`${runDirectory}/${name}`);
    });
    await runtime.comeBack();
    await ready(agent, 10_000);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "an agent that misses something names the API server until it answers",
  inLab(async ({ cluster, ...lab }) => {
    const { host } = new URL(cluster.server().url);
    await cluster.stopServer();
    const agent = lab.start();
    await agent.readyz(({ status, text }) => {
      expect(status).toBe(503);
      expect(text).toContain("[+]runtime ok");
      expect(text).toMatch(/\[-\]node-pod-restarts-synced failed: .*ECONNREFUSED/);
      expect(text).toContain(host);
    });
    await cluster.startServer();
    await ready(agent, 15_000);
    expect(agent.hasEnded).toBe(false);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "an agent that misses something names a kind that is not installed until it is",
  inLab(async ({ cluster, ...lab }) => {
    cluster.state.removeKind(NODE_POD_RESTARTS);
    const agent = lab.start();
    await agent.readyz(({ status, text }) => {
      expect(status).toBe(503);
      expect(text).toMatch(/\[-\]node-pod-restarts-synced failed: .*nodepodrestarts/);
      expect(text).toContain("[+]node-images-synced ok");
    });
    cluster.state.addKind(customKind(NODE_POD_RESTARTS));
    await ready(agent, 15_000);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "an agent that misses something names the token file that it cannot read",
  inLab(async (lab) => {
    const agent = lab.start(["--service-account-directory=/nowhere"]);
    await agent.readyz(({ status, text }) => {
      expect(status).toBe(503);
      expect(text).toContain("/nowhere/");
    });
  }),
  TIMEOUT_MS,
);
