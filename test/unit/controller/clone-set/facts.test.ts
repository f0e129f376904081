import { describe, expect, test } from "@jest/globals";
import type { ContainerFacts, NodePodRestart } from "../../../../src/api/node-pod-restart.js";
import type { Pod } from "../../../../src/api/pod.js";
import { factsOf, podsReportedAnew } from "../../../../src/controller/clone-set/facts.js";
import { makeSetPod } from "../../../support/clone-set.js";
import { createStubInformer, stubDependencies } from "../../../support/controller-stub.js";

const pod = makeSetPod({ name: "web-a", nodeName: "node1" });
const containers: readonly ContainerFacts[] = [{ name: "app", containerID: "containerd://1", restartCount: 0, state: "Running" }];
const asked = { namespace: "shop", name: "web-a", uid: "web-a-uid", requests: [] };
const reported = { uid: "web-a-uid", containers };

function report(name: string, entries: readonly (typeof asked)[], observedGeneration = 2): NodePodRestart {
  return {
    metadata: { name, generation: 2 },
    spec: { podRestarts: entries },
    status: { observedGeneration, podRestartStatuses: [reported] },
  };
}

function setUp(): ReturnType<typeof stubDependencies> & {
  readonly nodePodRestarts: ReturnType<typeof createStubInformer<NodePodRestart>>;
  readonly pods: ReturnType<typeof createStubInformer<Pod>>;
} {
  const nodePodRestarts = createStubInformer<NodePodRestart>();
  const pods = createStubInformer<Pod>();
  pods.set(pod);
  return { ...stubDependencies({ nodePodRestarts, pods }), nodePodRestarts, pods };
}

describe("factsOf()", () => {
  test("gives what the pod's own node reports about a pod that it was asked about", () => {
    const { deps, nodePodRestarts } = setUp();
    nodePodRestarts.set(report("node1", [asked]));
    expect(factsOf(deps, pod, true)).toEqual(containers);
  });

  test("does not say that an instance in pod status runs while it may have been stopped since", () => {
    const { deps, nodePodRestarts } = setUp();
    nodePodRestarts.set(report("node1", [asked], 1));
    expect(factsOf(deps, pod, true)).toEqual(containers);
    const status = { ...pod.status, containerStatuses: [{ name: "app", containerID: "containerd://1" }] } as Pod["status"] & object;
    expect(factsOf(deps, { ...pod, status }, true)).toEqual([{ ...containers[0], state: "Unknown" }]);
    nodePodRestarts.set(report("node1", [asked]));
    expect(factsOf(deps, { ...pod, status }, true)).toEqual(containers);
  });

  test("relies on no instance in pod status while the kubelet may hold an older version of the pod", () => {
    const { deps, nodePodRestarts } = setUp();
    const status = { ...pod.status, containerStatuses: [{ name: "app", containerID: "containerd://1" }] } as Pod["status"] & object;
    nodePodRestarts.set(report("node1", [asked]));
    expect(factsOf(deps, { ...pod, status }, false)).toEqual([{ ...containers[0], state: "Unknown" }]);
    expect(factsOf(deps, pod, false)).toEqual(containers); // one that only the agent has seen was started from what the pod says
    expect(factsOf(deps, { ...pod, status }, true)).toEqual(containers);
  });

  test.each([
    { when: "the report is another node's", object: report("node2", [asked]) },
    { when: "the node was not asked", object: report("node1", []) },
    { when: "the pod of that name is another one", object: report("node1", [{ ...asked, uid: "other" }]) },
  ])("gives nothing when $when", ({ object }) => {
    const { deps, nodePodRestarts } = setUp();
    nodePodRestarts.set(object);
    expect(factsOf(deps, pod, true)).toBeUndefined();
  });
});

describe("podsReportedAnew()", () => {
  const before = report("node1", [asked]);

  test("names the pods whose containers are told of differently, and no others", () => {
    expect(podsReportedAnew({ key: "node1", after: before })).toEqual(["shop/web-a"]);
    expect(podsReportedAnew({ key: "node1", before, after: report("node1", [asked]) })).toEqual([]);
    expect(podsReportedAnew({ key: "node1", before })).toEqual([]);
  });

  test("names a pod whose report can be relied on again", () => {
    expect(podsReportedAnew({ key: "node1", before: report("node1", [asked], 1), after: before })).toEqual(["shop/web-a"]);
  });

  test("names a pod whose report was there before anybody asked", () => {
    expect(podsReportedAnew({ key: "node1", before: report("node1", []), after: before })).toEqual(["shop/web-a"]);
  });
});
