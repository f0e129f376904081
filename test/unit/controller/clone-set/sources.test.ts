import { describe, expect, test } from "@jest/globals";
import type { CloneSet, CloneSetStatus } from "../../../../src/api/clone-set.js";
import type { NodePodRestart } from "../../../../src/api/node-pod-restart.js";
import type { ControllerRevision, Pod } from "../../../../src/api/pod.js";
import { watchSources } from "../../../../src/controller/clone-set/sources.js";
import { makeCloneSet } from "../../../support/clone-set.js";
import { createStubInformer, stubDependencies } from "../../../support/controller-stub.js";

const status: CloneSetStatus = { replicas: 3, readyReplicas: 3, availableReplicas: 3, updatedReplicas: 3, updatedReadyReplicas: 3 };

function setUp() {
  const cloneSets = createStubInformer<CloneSet>();
  const informers = {
    cloneSets,
    pods: createStubInformer<Pod>(),
    controllerRevisions: createStubInformer<ControllerRevision>(),
    nodePodRestarts: createStubInformer<NodePodRestart>(),
  };
  const queued: string[] = [];
  watchSources(stubDependencies(informers).deps, { add: (key) => void queued.push(key), addAfter: () => undefined });
  return { cloneSets, queued };
}

const failing = (message: string): CloneSet => ({
  ...makeCloneSet(),
  status: { ...status, conditions: [{ type: "FailedUpdate", status: "True", message }] },
});

describe("watchSources()", () => {
  test("queues nothing for a status that differs in its conditions only, so that a failure with ever new words waits for its retry", () => {
    const { cloneSets, queued } = setUp();
    cloneSets.set(failing("refused: request 1"));
    cloneSets.set(failing("refused: request 2"));
    expect(queued).toEqual(["shop/web"]);
  });

  test.each<{ readonly what: string; readonly after: CloneSet }>([
    { what: "the spec", after: { ...failing("a"), metadata: { ...makeCloneSet().metadata, generation: 2 } } },
    { what: "an annotation", after: { ...failing("a"), metadata: { ...makeCloneSet().metadata, annotations: { look: "again" } } } },
    { what: "a counter of the status", after: { ...failing("a"), status: { ...failing("a").status, ...status, replicas: 4 } } },
    { what: "nothing, as after a relist", after: failing("a") },
  ])("queues the CloneSet for a change of $what", ({ after }) => {
    const { cloneSets, queued } = setUp();
    cloneSets.set(failing("a"));
    cloneSets.set(after);
    expect(queued).toEqual(["shop/web", "shop/web"]);
  });
});
