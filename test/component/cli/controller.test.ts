import { afterAll, expect, test } from "@jest/globals";
import { CLONE_SETS, LEASES, NODE_IMAGES, NODES, PODS } from "../../../src/api/resources.js";
import { customKind } from "../../../src/sim/api-server/served-kinds.js";
import { makeCloneSet } from "../../support/clone-set.js";
import { eventually } from "../../support/eventually.js";
import { expectDocumented, ready } from "./agent-lab.js";
import { type ClusterModel, startClusterModel } from "./cluster-model.js";
import { buildProduct, type ProductProcess } from "./product.js";

const LEASE = { namespace: "podmend-system", name: "podmend-controller" };

/** Tests run side by side, which jest does only for those outside of describe: each has its cluster, and they mostly wait. */
const TIMEOUT_MS = 50_000;

const building = buildProduct();

afterAll(async () => {
  await (await building).remove();
});

interface ControllerLab {
  readonly cluster: ClusterModel;
  readonly start: (name: string, args?: readonly string[]) => ProductProcess;
  /** Who holds the Lease; empty: nobody. @throws if there is none */
  readonly holder: () => string;
}

/** A test's body with a cluster of its own. */
function inLab(body: (lab: ControllerLab) => Promise<void>): () => Promise<void> {
  return async () => {
    const product = await building;
    const cluster = await startClusterModel();
    const controllers: ProductProcess[] = [];
    const lab: ControllerLab = {
      cluster,
      start(name, args = cluster.args) {
        const controller = product.start(["controller", "--addr=127.0.0.1:0", ...args], { POD_NAME: name, ...cluster.env });
        controllers.push(controller);
        return controller;
      },
      holder() {
        const spec = cluster.state.get(LEASES, LEASE)["spec"] as { readonly holderIdentity?: string };
        return spec.holderIdentity ?? "";
      },
    };
    try {
      await body(lab);
    } finally {
      await Promise.all(controllers.map((controller) => controller.end("SIGKILL")));
      await cluster.close();
    }
  };
}

async function leads(controller: ProductProcess, timeoutMs = 10_000): Promise<void> {
  await controller.logged("Leadership starts", timeoutMs);
  await ready(controller, timeoutMs);
}

test.concurrent(
  "a second controller is ready as a standby and takes over when the leader is killed",
  inLab(async ({ start, holder }) => {
    const first = start("first");
    await leads(first);
    const second = start("second");
    await second.readyz(({ status }) => expect(status).toBe(200));
    expect(second.log().map(({ msg }) => msg)).not.toContain("Leadership starts");
    await first.end("SIGKILL");
    await leads(second, 25_000);
    expect(holder()).toMatch(/^second_/);
    expect(await second.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(holder()).toBe("");
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a started controller leads, does its work, and gives the Lease back on SIGTERM",
  inLab(async ({ cluster, start, holder }) => {
    cluster.state.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "node-a" } });
    const { apiVersion, kind, spec } = makeCloneSet({ replicas: 2 });
    cluster.state.create(CLONE_SETS, { apiVersion, kind, metadata: { name: "web" }, spec }, "shop");
    const controller = start("first");
    await leads(controller);
    expect(holder()).toMatch(/^first_\d+$/);
    await eventually(() => {
      expect(cluster.state.list(PODS, "shop")).toHaveLength(2);
      expect(cluster.state.list(NODE_IMAGES).map(({ metadata }) => metadata.name)).toEqual(["node-a"]);
    });
    expect((await controller.get("/readyz?verbose")).text).toMatch(/^\[\+\]lease ok\n\[\+\]pods-synced ok\n/);
    const metrics = (await controller.get("/metrics")).text;
    expectDocumented(metrics);
    expect(metrics).toContain('leader_election_master_status{name="podmend-controller"} 1');
    const startMs = performance.now();
    expect(await controller.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(performance.now() - startMs).toBeLessThan(3_000);
    expect(holder()).toBe("");
    expect(controller.stderr).toBe("");
    expect(controller.log().filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
    expect(controller.stdout).not.toContain(cluster.token);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a started controller reads a kubeconfig outside of a cluster",
  inLab(async ({ cluster, start }) => {
    const controller = start("outside", [`--kubeconfig=${cluster.kubeconfig}`]);
    await leads(controller);
    expect(await controller.end("SIGINT")).toEqual({ code: 0, signal: null });
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a started controller leads without a Lease if told so",
  inLab(async ({ cluster, start, holder }) => {
    const controller = start("single", [...cluster.args, "--enable-leader-election=false"]);
    await controller.readyz(({ status, text }) =>
      expect({ status, text }).toEqual({ status: 200, text: expect.not.stringContaining("lease") }),
    );
    expect(() => holder()).toThrow();
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a started controller ends at once on a second signal",
  inLab(async ({ cluster, start }) => {
    const controller = start("stuck");
    await leads(controller);
    cluster.server().faults.add({ method: "PUT", path: /\/leases\//, times: 100 }, { type: "hang" });
    controller.send("SIGTERM");
    await controller.logged("Process stops");
    const startMs = performance.now();
    expect(await controller.end("SIGTERM")).toEqual({ code: 1, signal: null });
    expect(performance.now() - startMs).toBeLessThan(1_000);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a started controller ends with code 1 when work in hand outlasts the grace",
  inLab(async ({ cluster, start }) => {
    const controller = start("slow", [...cluster.args, "--shutdown-grace-seconds=1"]);
    await leads(controller);
    cluster.server().faults.add({ method: "PUT", path: /\/leases\//, times: 100 }, { type: "hang" });
    expect(await controller.end("SIGTERM")).toEqual({ code: 1, signal: null });
    expect(controller.log().at(-1)).toMatchObject({ level: "error", msg: "Process gives up waiting for work in hand" });
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a controller that misses something names the API server until it answers, and leads then",
  inLab(async ({ cluster, start }) => {
    await cluster.stopServer();
    const controller = start("first");
    await controller.readyz(({ status, text }) => {
      expect(status).toBe(503);
      expect(text).toMatch(/^\[-\]lease failed: .*ECONNREFUSED/);
    });
    expect((await controller.get("/livez")).status).toBe(200);
    await cluster.startServer();
    await leads(controller, 15_000);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a controller that misses something names a kind that is not installed until it is",
  inLab(async ({ cluster, start }) => {
    cluster.state.removeKind(CLONE_SETS);
    const controller = start("first");
    await controller.readyz(({ status, text }) => {
      expect(status).toBe(503);
      expect(text).toMatch(/\[-\]clone-sets-synced failed: .*clonesets/);
      expect(text).toContain("[+]pods-synced ok");
    });
    cluster.state.addKind(customKind(CLONE_SETS));
    await leads(controller, 15_000);
  }),
  TIMEOUT_MS,
);
