import { beforeEach, describe, expect, test } from "@jest/globals";
import { Puller } from "../../../../src/agent/image-pull/puller.js";
import { ImagePullReconciler } from "../../../../src/agent/image-pull/reconciler.js";
import type { ImageTagSpec, NodeImage } from "../../../../src/api/node-image.js";
import { applyMergePatch } from "../../../support/merge-patch.js";
import type { KubeClient, PatchRequest } from "../../../../src/kube/client.js";
import type { Informer } from "../../../../src/kube/informer.js";
import { OperationError } from "../../../../src/lib/failure.js";
import { FakeClock } from "../../../support/fake-clock.js";
import { makeNodeImage } from "../../../support/images.js";
import { FakeImages, pullForEver } from "./fake-images.js";

const { signal } = new AbortController();
const V1: ImageTagSpec = { tag: "v1", createdAt: "2026-01-01T00:00:00Z" };

let clock: FakeClock;
let images: FakeImages;
let stored: NodeImage | undefined;
let patches: PatchRequest[];
let failWith: Error | undefined;
let reconciler: ImagePullReconciler;

beforeEach(() => {
  clock = new FakeClock();
  images = new FakeImages();
  patches = [];
  failWith = undefined;
  restart();
});

function restart(): void {
  const client = {
    patch: async (_resource: unknown, request: PatchRequest) => {
      patches.push(request);
      if (failWith !== undefined) throw failWith;
      return applyMergePatch(stored, request.body);
    },
  } as unknown as KubeClient;
  const nodeImages = {
    store: { get: () => stored },
    applyWrite: (written: NodeImage) => (stored = written),
  } as unknown as Informer<NodeImage>;
  reconciler = new ImagePullReconciler({ client, clock, nodeImages, puller: new Puller({ images, clock, maxParallelPulls: 3 }) });
}

/** Reconciles as often as asked, for so long. */
async function run(forMs = 0): Promise<void> {
  const endMs = clock.nowMs() + forMs;
  for (;;) {
    const { requeueAfterMs } = await reconciler.reconcile("node1", signal);
    await clock.advance(0);
    const waitMs = requeueAfterMs ?? 0;
    const leftMs = endMs - clock.nowMs();
    if (waitMs > leftMs || leftMs === 0) return clock.advance(leftMs);
    await clock.advance(Math.max(1, waitMs));
  }
}

function phase(): string | undefined {
  return stored?.status?.imageStatuses?.["lab.local/app"]?.tags[0]?.phase;
}

describe("ImagePullReconciler", () => {
  test("a NodeImage that asks for nothing costs no write", async () => {
    stored = makeNodeImage("node1");
    await run(1_000);
    expect(patches).toEqual([]);
  });

  test("a short pull costs one write, to the status alone, and then none", async () => {
    stored = makeNodeImage("node1", [V1]);
    await run(1_000);
    expect(phase()).toBe("Succeeded");
    expect(patches).toMatchObject([{ target: { name: "node1" }, type: "merge", subresource: "status" }]);
    expect(Object.keys(patches[0]?.body as object)).toEqual(["status"]);
  });

  test("a long pull is told as Pulling after 200 ms", async () => {
    images.pull = pullForEver;
    stored = makeNodeImage("node1", [V1]);
    await run(199);
    expect(patches).toHaveLength(0);
    await run(1);
    expect(phase()).toBe("Pulling");
  });

  test("ten changes within a second cost at most ten writes", async () => {
    stored = makeNodeImage("node1", []);
    for (let index = 0; index < 40; index++) {
      stored = {
        ...stored,
        spec: { images: { "lab.local/app": { tags: [...(stored.spec?.images?.["lab.local/app"]?.tags ?? []), { tag: `t${index}` }] } } },
      };
      await run();
      await clock.advance(25);
    }
    expect(patches.length).toBeLessThanOrEqual(10);
    expect(patches.length).toBeGreaterThan(2);
  });

  test("an end whose write failed is not pulled again and is told later", async () => {
    stored = makeNodeImage("node1", [V1]);
    failWith = new OperationError("transient", "KUBE_503", "Cannot patch");
    await run();
    await expect(reconciler.reconcile("node1", signal)).rejects.toBe(failWith);
    failWith = undefined;
    await run(1_000);
    expect(phase()).toBe("Succeeded");
    expect(images.pulls).toHaveLength(1);
  });

  test("a new agent does not repeat what the status knows, and begins again what it does not", async () => {
    stored = makeNodeImage("node1", [V1]);
    await run(1_000);
    restart();
    stored = { ...stored, spec: { images: { "lab.local/app": { tags: [V1, { tag: "v2" }] } } } };
    await run(1_000);
    expect(images.pulls.map(({ reference }) => reference)).toEqual(["lab.local/app:v1", "lab.local/app:v2"]);
  });

  test("a NodeImage that is gone or going withdraws its pulls; a write that comes too late is no failure", async () => {
    images.pull = pullForEver;
    stored = makeNodeImage("node1", [V1]);
    await run();
    failWith = new OperationError("missing", "KUBE_NOT_FOUND", "Cannot patch");
    await clock.advance(300);
    await run();
    stored = undefined;
    await run();
    stored = makeNodeImage("node1", [V1]);
    failWith = undefined;
    images.pull = () => Promise.resolve("sha256:1");
    await run(1_000);
    expect(images.pulls).toHaveLength(2);
    expect(phase()).toBe("Succeeded");
  });
});
