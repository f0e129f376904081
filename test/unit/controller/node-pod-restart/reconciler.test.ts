import { describe, expect, test } from "@jest/globals";
import type { NodePodRestart } from "../../../../src/api/node-pod-restart.js";
import type { Node, Pod } from "../../../../src/api/pod.js";
import { NodePodRestartReconciler } from "../../../../src/controller/node-pod-restart/reconciler.js";
import type { PatchRequest } from "../../../../src/kube/client.js";
import { createStubInformer, stubDependencies } from "../../../support/controller-stub.js";
import { makeWish } from "../../core/container-restart/request-builders.js";

const NODE: Node = { metadata: { name: "node1", uid: "node-uid" } };

/** A controller that sees so many pods in mid-update on one node. */
function setUp(podCount: number) {
  const [nodes, nodePodRestarts] = [createStubInformer<Node>(), createStubInformer<NodePodRestart>()];
  const { deps, clock } = stubDependencies({ nodes, nodePodRestarts, pods: createStubInformer<Pod>() });
  nodes.set(NODE);
  const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: "node1", uid: "node-uid" }];
  nodePodRestarts.set({ metadata: { name: "node1", ownerReferences, resourceVersion: "1", generation: 1 }, spec: { podRestarts: [] } });
  const pods = Array.from({ length: podCount }, (_, index): Pod => {
    const { pod } = makeWish();
    return { ...pod, metadata: { ...pod.metadata, name: `web-${String(index)}`, uid: `uid-${String(index)}` } };
  });
  let [looks, writes] = [0, 0];
  const patch = (_resource: unknown, { body }: PatchRequest): Promise<NodePodRestart> => {
    writes++;
    const { spec } = body as Pick<NodePodRestart, "spec">;
    return Promise.resolve({ metadata: { name: "node1", ownerReferences, resourceVersion: "2", generation: 2 }, spec });
  };
  const sources = {
    pods: { ...createStubInformer<Pod>().store, byIndex: () => pods },
    activities: { stopNotBeforeMs: () => undefined } as never,
    wishOf(pod: Pod) {
      looks++;
      return { ...makeWish(), pod };
    },
  };
  const reconciler = new NodePodRestartReconciler({ ...deps, client: { patch } as never }, sources);
  const reconcile = () => reconciler.reconcile("node1", new AbortController().signal);
  return { clock, reconcile, counts: () => ({ looks: looks / podCount, writes }) };
}

describe("NodePodRestartReconciler.reconcile()", () => {
  test.each([
    { pods: 1, gapMs: 100 },
    { pods: 51, gapMs: 200 },
    { pods: 300, gapMs: 400 },
  ])("looks at a node with $pods pods in mid-update once in $gapMs ms after a write", async ({ pods, gapMs }) => {
    const { clock, reconcile, counts } = setUp(pods);
    await reconcile();
    expect(counts()).toEqual({ looks: 1, writes: 1 });
    await clock.advance(gapMs - 1);
    expect(await reconcile()).toEqual({ requeueAfterMs: 1 });
    expect(counts()).toEqual({ looks: 1, writes: 1 });
    await clock.advance(1);
    await reconcile();
    expect(counts()).toEqual({ looks: 2, writes: 1 });
  });
});
