import { expect, test } from "@jest/globals";
import type { CloneSet } from "../../../../src/api/clone-set.js";
import type { Pod } from "../../../../src/api/pod.js";
import { Pass } from "../../../../src/controller/clone-set/pass.js";
import { writeStatus } from "../../../../src/controller/clone-set/write-status.js";
import type { ControllerDependencies } from "../../../../src/controller/dependencies.js";
import { makeCloneSet, makeSetPod } from "../../../support/clone-set.js";
import { createStubInformer, stubDependencies } from "../../../support/controller-stub.js";
import { TickingClock } from "../../../support/fake-clock.js";

test("a pod that is counted as not available yet is come back for, also if it becomes that in the middle of a look", async () => {
  const pods = createStubInformer<Pod>();
  const owner = { apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", name: "web", uid: "set-uid", controller: true };
  const pod = makeSetPod({ readySince: "2026-01-02T03:04:00Z" });
  pods.set({ ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
  const written: CloneSet[] = [];
  const client = {
    replace(_resource: unknown, { object }: { readonly object: CloneSet }): Promise<CloneSet> {
      written.push(object);
      return Promise.resolve(object);
    },
  };
  const stub = stubDependencies({ pods, cloneSets: createStubInformer<CloneSet>() });
  // It reads 03:04:06 first, then 03:04:07.
  const deps = { ...stub.deps, client, clock: new TickingClock(1_000) } as unknown as ControllerDependencies;
  const pass = new Pass(deps, makeCloneSet({ minReadySeconds: 7 }), new AbortController().signal);
  await writeStatus(pass, undefined);
  expect(written).toMatchObject([{ status: { readyReplicas: 1, availableReplicas: 0 } }]);
  expect(pass.requeueAfterMs).toBe(1_000);
});
