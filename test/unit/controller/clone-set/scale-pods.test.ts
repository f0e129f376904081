import { describe, expect, test } from "@jest/globals";
import type { ControllerDependencies } from "../../../../src/controller/dependencies.js";
import type { Revisions } from "../../../../src/controller/clone-set/ensure-revisions.js";
import { Holds } from "../../../../src/controller/clone-set/holds.js";
import { Pass } from "../../../../src/controller/clone-set/pass.js";
import { scalePods } from "../../../../src/controller/clone-set/scale-pods.js";
import type { CloneSet } from "../../../../src/api/clone-set.js";
import type { Pod } from "../../../../src/api/pod.js";
import { observePod } from "../../../../src/core/clone-set/observed-pod.js";
import type { DeleteRequest } from "../../../../src/kube/client.js";
import { makeCloneSet, makeSetPod } from "../../../support/clone-set.js";
import { createStubInformer, stubDependencies } from "../../../support/controller-stub.js";

describe("scalePods()", () => {
  test("deletes a pod only as it was when that was decided: one that has become ready since may be needed", async () => {
    const requests: DeleteRequest[] = [];
    const cloneSets = createStubInformer<CloneSet>();
    cloneSets.set(makeCloneSet());
    const { deps, clock } = stubDependencies({ pods: createStubInformer<Pod>(), cloneSets });
    const client = { delete: (_resource: unknown, request: DeleteRequest) => Promise.resolve(void requests.push(request)) };
    const pass = new Pass({ ...deps, client } as unknown as ControllerDependencies, makeCloneSet(), new AbortController().signal);
    const plain = makeSetPod({ ready: false });
    const pod = { ...plain, metadata: { ...plain.metadata, resourceVersion: "7" } };
    const measure = { updateRevision: "web-new", minReadySeconds: 0, nowMs: clock.nowMs() };
    const decision = { createCurrent: 0, createUpdated: 0, remove: [observePod(pod, measure)] };
    const template = makeCloneSet().spec.template;
    const revisions: Revisions = {
      update: { name: "web-new", template },
      currentName: "web-new",
      collisionCount: 0,
      templateOf: () => template,
    };
    const holds = new Holds(clock, deps.random, 30_000);
    expect(await scalePods(pass, { revisions, decision, holds })).toBe(true);
    expect(requests).toMatchObject([
      { target: { namespace: "shop", name: "web-aaaaa" }, options: { uid: "web-aaaaa-uid", resourceVersion: "7" } },
    ]);
  });
});
