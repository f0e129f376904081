import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ImageTagStatus } from "../../../src/api/node-image.js";
import { IMAGE_PULL_JOBS, NODE_IMAGES, NODES } from "../../../src/api/resources.js";
import { eventually } from "../../support/eventually.js";
import { PullLab } from "./pull-lab.js";

const IMAGE = "lab.local/app:v2";

let lab: PullLab;
beforeEach(async () => {
  lab = await PullLab.start();
});
afterEach(async () => {
  await lab.stop();
});

async function threeNodes(latencyMs = 20): Promise<void> {
  for (const name of ["node1", "node2", "node3"]) {
    const { world } = await lab.addNode(name);
    world.images.publish({ reference: IMAGE, sizeBytes: 1000, latencyMs });
    lab.startAgent(name);
  }
  lab.startController();
  await eventually(() => expect(lab.nodeImages()).toHaveLength(3));
}

function tagStatus(node: string, image = "lab.local/app"): ImageTagStatus | undefined {
  return lab.nodeImage(node).status?.imageStatuses?.[image]?.tags[0];
}

describe("ImagePullJob", () => {
  test("a job with parallelism 1 pulls on three nodes, one at a time, and completes", async () => {
    await threeNodes(60);
    let most = 0;
    let now = 0;
    for (const name of ["node1", "node2", "node3"]) {
      lab.runtime(name).world.faults.intercept = async (method) => {
        if (method !== "PullImage") return;
        now++;
        most = Math.max(most, now);
        setTimeout(() => now--, 55);
      };
    }
    lab.createJob("pull", { image: IMAGE, parallelism: 1 });
    await eventually(() => expect(lab.job("pull").status?.completionTime).toBeDefined());
    expect(most).toBe(1);
    expect(lab.job("pull").status).toMatchObject({ desired: 3, active: 0, succeeded: 3, failed: 0, message: "job has completed" });
    const { id } = lab.runtime("node2").world.images.find(IMAGE) ?? {};
    expect(tagStatus("node2")).toMatchObject({ tag: "v2", phase: "Succeeded", progress: 100, imageID: `lab.local/app@${id ?? ""}` });
    await eventually(() => expect(lab.job("pull").metadata.finalizers ?? []).toEqual([]));
    expect(lab.events.filter(({ reason }) => reason === "PullImageSucceed").map(({ regarding }) => regarding.name)).toEqual([
      "node1",
      "node2",
      "node3",
    ]);
  });

  test("a job writes each NodeImage once, and each agent its status once when the pull is short", async () => {
    await threeNodes();
    lab.createJob("pull", { image: IMAGE, parallelism: 10 });
    await eventually(() => expect(lab.job("pull").status?.completionTime).toBeDefined());
    await eventually(() => expect(lab.job("pull").metadata.finalizers ?? []).toEqual([]));
    for (const name of ["node1", "node2", "node3"]) {
      expect(lab.writes(new RegExp(`/nodeimages/${name}\\b`))).toEqual([
        `PATCH /apis/apps.kruise.io/v1beta1/nodeimages/${name}`,
        `PATCH /apis/apps.kruise.io/v1beta1/nodeimages/${name}/status`,
      ]);
    }
    expect(lab.writes(/imagepulljobs\/pull/)).toHaveLength(4); // finalizer, start, end, finalizer
  });

  test("a missing image fails with the runtime's words while the other image goes on", async () => {
    await threeNodes();
    lab.createJob("missing", { image: "lab.local/none:v1", parallelism: 3, pullPolicy: { backoffLimit: 0 } });
    lab.createJob("pull", { image: IMAGE, parallelism: 3 });
    await eventually(() => expect(lab.job("missing").status?.completionTime).toBeDefined());
    await eventually(() => expect(lab.job("pull").status?.completionTime).toBeDefined());
    expect(lab.job("pull").status).toMatchObject({ succeeded: 3, failed: 0 });
    expect(lab.job("missing").status).toMatchObject({ desired: 3, succeeded: 0, failed: 3, failedNodes: ["node1", "node2", "node3"] });
    expect(tagStatus("node1", "lab.local/none")?.message).toContain("not found");
    const failed = lab.events.filter(({ reason }) => reason === "PullImageFailed");
    expect(failed.filter(({ regarding }) => regarding.kind === "NodeImage")).toHaveLength(3);
    const onJob = failed.filter(({ regarding }) => regarding.kind === "ImagePullJob");
    expect(onJob).toHaveLength(3);
    expect(onJob[0]).toMatchObject({ type: "Warning", regarding: { name: "missing", namespace: "shop" } });
    expect(onJob[0]?.message).toMatch(/^Image lab\.local\/none:v1 on node node\d: .*not found/);
  });

  test("an agent that restarts in mid-pull finishes it, and pulls nothing again that had ended", async () => {
    const { world } = await lab.addNode("node1");
    world.images.publish({ reference: IMAGE, sizeBytes: 1000, latencyMs: 0 });
    world.images.publish({ reference: "lab.local/big:v1", sizeBytes: 1000, latencyMs: 60_000 });
    const pulls: string[] = [];
    world.faults.intercept = async (method) => void (method === "PullImage" && pulls.push(method));
    const agent = lab.startAgent("node1");
    lab.startController();
    lab.createJob("pull", { image: IMAGE, imagePullPolicy: "Always" });
    await eventually(() => expect(lab.job("pull").status?.completionTime).toBeDefined());
    lab.createJob("big", { image: "lab.local/big:v1", imagePullPolicy: "Always" });
    await eventually(() => expect(tagStatus("node1", "lab.local/big")?.phase).toBe("Pulling"));
    const startTime = tagStatus("node1", "lab.local/big")?.startTime;
    await agent.stop();
    expect(tagStatus("node1", "lab.local/big")?.phase).toBe("Pulling");
    world.images.publish({ reference: "lab.local/big:v1", sizeBytes: 1000, latencyMs: 0 });
    lab.startAgent("node1");
    await eventually(() => expect(lab.job("big").status?.succeeded).toBe(1));
    expect(tagStatus("node1", "lab.local/big")?.startTime).toBe(startTime);
    expect(pulls).toHaveLength(3); // once, then begun twice
  });

  test("a finished job goes after its time to live, its tags go with it, and then nobody writes any more", async () => {
    await threeNodes();
    lab.createJob("pull", {
      image: IMAGE,
      parallelism: 3,
      completionPolicy: { type: "Always", ttlSecondsAfterFinished: 1 },
    });
    await eventually(() => expect(lab.job("pull").status?.completionTime).toBeDefined());
    await eventually(() => expect(lab.jobs()).toHaveLength(0));
    await eventually(() => {
      for (const { spec, status } of lab.nodeImages()) {
        expect(spec?.images ?? {}).toEqual({});
        expect(status).toEqual({ desired: 0, succeeded: 0, failed: 0, pulling: 0, waiting: 0 });
      }
    });
    const before = lab.writes(/./).length;
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(lab.writes(/./)).toHaveLength(before);
  });

  test("deleting a job in mid-pull withdraws the pull", async () => {
    const { world } = await lab.addNode("node1");
    world.images.publish({ reference: IMAGE, sizeBytes: 1000, latencyMs: 60_000 });
    let given = 0;
    world.faults.intercept = async (method, signal) => {
      if (method === "PullImage") signal.addEventListener("abort", () => given++);
    };
    lab.startAgent("node1");
    lab.startController();
    lab.createJob("pull", { image: IMAGE });
    await eventually(() => expect(tagStatus("node1")?.phase).toBe("Pulling"));
    lab.kube.server.state.delete(IMAGE_PULL_JOBS, { namespace: "shop", name: "pull" }, {});
    await eventually(() => expect(given).toBe(1));
    await eventually(() => expect(lab.nodeImage("node1").status).toMatchObject({ desired: 0 }));
    expect(lab.events.filter(({ type }) => type === "Warning")).toEqual([]);
    expect(lab.jobs()).toHaveLength(0);
  });

  test("a job with pullSecrets is refused in words and touches no node", async () => {
    await threeNodes();
    lab.createJob("secret", { image: IMAGE, pullSecrets: ["registry"] });
    await eventually(() => expect(lab.job("secret").status?.message).toContain("spec.pullSecrets is not supported yet"));
    expect(lab.job("secret").status?.startTime).toBeUndefined();
    await eventually(() => expect(lab.events).toEqual([expect.objectContaining({ type: "Warning", reason: "ImagePullJobRefused" })]));
    for (const nodeImage of lab.nodeImages()) expect(nodeImage.spec?.images ?? {}).toEqual({});
  });

  test("twenty jobs at once on one node lose no entry of each other", async () => {
    const { world } = await lab.addNode("node1");
    lab.startAgent("node1");
    lab.startController();
    const names = Array.from({ length: 20 }, (_, index) => `job${index}`);
    for (const name of names) world.images.publish({ reference: `lab.local/${name}:v1`, sizeBytes: 10, latencyMs: 5 });
    for (const name of names) lab.createJob(name, { image: `lab.local/${name}:v1` });
    await eventually(() => expect(lab.jobs().filter(({ status }) => status?.succeeded === 1 && status.completionTime)).toHaveLength(20));
    expect(Object.keys(lab.nodeImage("node1").spec?.images ?? {})).toHaveLength(20);
  });

  test("a second job for the same tag pulls anew by its own policy, and takes the place of a finished first one", async () => {
    await threeNodes();
    lab.createJob("one", { image: IMAGE, parallelism: 3, imagePullPolicy: "Always" });
    await eventually(() => expect(lab.job("one").status?.completionTime).toBeDefined());
    let pulls = 0;
    lab.runtime("node1").world.faults.intercept = async (method) => void (method === "PullImage" && pulls++);
    lab.createJob("two", { image: IMAGE, parallelism: 3, imagePullPolicy: "Always", pullPolicy: { timeoutSeconds: 77, backoffLimit: 1 } });
    await eventually(() => expect(lab.job("two").status?.completionTime).toBeDefined());
    expect(pulls).toBe(1);
    expect(lab.job("two").status).toMatchObject({ succeeded: 3 });
    const [tag] = lab.nodeImage("node1").spec?.images?.["lab.local/app"]?.tags ?? [];
    expect(tag).toMatchObject({ version: 1, pullPolicy: { timeoutSeconds: 77, backoffLimit: 1 }, ownerReferences: [{ name: "two" }] });
  });

  test("a second job for the same tag does not take back what a running first one has reached", async () => {
    await threeNodes();
    lab.runtime("node3").world.images.publish({ reference: IMAGE, sizeBytes: 1, latencyMs: 1_500 });
    lab.createJob("one", { image: IMAGE, parallelism: 3, imagePullPolicy: "Always" });
    await eventually(() => expect(tagStatus("node1")?.phase).toBe("Succeeded"));
    lab.createJob("two", { image: IMAGE, parallelism: 3, imagePullPolicy: "Always", selector: { names: ["node1"] } });
    await eventually(() => expect(lab.job("two").status?.completionTime).toBeDefined());
    const owners = lab.nodeImage("node1").spec?.images?.["lab.local/app"]?.tags[0]?.ownerReferences;
    expect(owners).toMatchObject([{ name: "one", fieldPath: "Succeeded" }, { name: "two" }]);
    await eventually(() => expect(lab.job("one").status).toMatchObject({ succeeded: 3, message: "job has completed" }));
  });

  test("a controller that restarts in the middle of a job carries on where the other stopped", async () => {
    for (const name of ["node1", "node2", "node3", "node4"]) {
      (await lab.addNode(name)).world.images.publish({ reference: IMAGE, sizeBytes: 1, latencyMs: 100 });
      lab.startAgent(name);
    }
    let controller = lab.startController();
    lab.createJob("pull", { image: IMAGE, parallelism: 1 });
    for (const name of ["node1", "node2", "node3"]) {
      await eventually(() => expect(tagStatus(name)).toBeDefined());
      await controller.stop();
      controller = lab.startController();
    }
    await eventually(() => expect(lab.job("pull").status).toMatchObject({ succeeded: 4, failed: 0, message: "job has completed" }));
    const pulled = lab.events.filter(({ reason }) => reason === "PullImageSucceed").map(({ regarding }) => regarding.name);
    expect(pulled).toEqual(["node1", "node2", "node3", "node4"]);
  });

  test("a job that is created before the NodeImages waits for them", async () => {
    lab.createJob("pull", { image: IMAGE, parallelism: 5 });
    for (const name of ["node1", "node2"]) {
      (await lab.addNode(name)).world.images.publish({ reference: IMAGE, sizeBytes: 1 });
      lab.startAgent(name);
    }
    lab.startController();
    await eventually(() => expect(lab.job("pull").status).toMatchObject({ desired: 2, succeeded: 2, message: "job has completed" }));
  });

  test("a connection that breaks after each kind of write loses and repeats nothing", async () => {
    await threeNodes(30);
    let pulls = 0;
    lab.runtime("node1").world.faults.intercept = async (method) => void (method === "PullImage" && pulls++);
    for (const path of [/nodeimages\/node1\?/, /nodeimages\/node1\/status/, /imagepulljobs\/pull\?/, /imagepulljobs\/pull\/status/]) {
      lab.kube.server.faults.add({ method: "PATCH", path }, { type: "cutAfterReply" });
    }
    lab.createJob("pull", { image: IMAGE, parallelism: 2, imagePullPolicy: "Always" });
    await eventually(() => expect(lab.job("pull").status).toMatchObject({ succeeded: 3, message: "job has completed" }), 15_000);
    expect(pulls).toBe(1);
  }, 30_000);

  test("a node whose NodeImage cannot take the request has failed, in the server's words; the others go on", async () => {
    await threeNodes();
    const path = /nodeimages\/node2\?/;
    lab.kube.server.faults.add({ method: "PATCH", path, times: 99 }, { type: "status", code: 422, reason: "Invalid" });
    lab.createJob("pull", { image: IMAGE, parallelism: 1 });
    await eventually(() => expect(lab.job("pull").status?.completionTime).toBeDefined());
    expect(lab.job("pull").status).toMatchObject({ succeeded: 2, failed: 1, failedNodes: ["node2"] });
    expect(lab.events.filter(({ reason }) => reason === "PullImageFailed")).toMatchObject([{ regarding: { kind: "ImagePullJob" } }]);
  });

  test("a NodeImage that cannot be written for a while keeps no other node from pulling", async () => {
    await threeNodes();
    const path = /nodeimages\/node1\?/;
    lab.kube.server.faults.add({ method: "PATCH", path, times: 4 }, { type: "status", code: 503 });
    lab.createJob("pull", { image: IMAGE, parallelism: 3 });
    await eventually(() => expect(["node2", "node3"].map((name) => tagStatus(name)?.phase)).toEqual(["Succeeded", "Succeeded"]));
    expect(lab.nodeImage("node1").spec?.images ?? {}).toEqual({});
    await eventually(() => expect(lab.job("pull").status).toMatchObject({ succeeded: 3, message: "job has completed" }), 20_000);
  }, 30_000);

  test("a runtime that is away for a while costs no attempt", async () => {
    await threeNodes();
    lab.runtime("node1").server.goAway();
    lab.createJob("pull", { image: IMAGE, parallelism: 3, pullPolicy: { backoffLimit: 0 } });
    await eventually(() => expect(lab.job("pull").status?.succeeded).toBe(2));
    await lab.runtime("node1").server.comeBack();
    await eventually(() => expect(lab.job("pull").status?.succeeded).toBe(3), 10_000);
    expect(lab.job("pull").status?.failed).toBe(0);
  }, 20_000);
});

describe("NodeImage", () => {
  test("it follows its node: comes with it, has its labels, goes with it; a fake one stays", async () => {
    await lab.addNode("node1", { zone: "a" });
    lab.kube.server.state.create(NODES, { metadata: { name: "virtual", labels: { type: "virtual-kubelet" } } });
    lab.kube.server.state.create(NODE_IMAGES, {
      apiVersion: "apps.kruise.io/v1beta1",
      kind: "NodeImage",
      metadata: { name: "fake", labels: { "apps.kruise.io/fake-nodeimage": "true" } },
    });
    lab.startController();
    await eventually(() =>
      expect(
        lab
          .nodeImages()
          .map(({ metadata }) => metadata.name)
          .sort(),
      ).toEqual(["fake", "node1"]),
    );
    expect(lab.nodeImage("node1").metadata.labels).toEqual({ "kubernetes.io/hostname": "node1", zone: "a" });
    const contentType = "application/merge-patch+json";
    lab.kube.server.state.patch(NODES, { name: "node1" }, { contentType, body: { metadata: { labels: { zone: null, disk: "ssd" } } } });
    await eventually(() => expect(lab.nodeImage("node1").metadata.labels).toEqual({ "kubernetes.io/hostname": "node1", disk: "ssd" }));
    lab.kube.server.state.delete(NODES, { name: "node1" }, {});
    await eventually(() => expect(lab.nodeImages().map(({ metadata }) => metadata.name)).toEqual(["fake"]));
  });
});
