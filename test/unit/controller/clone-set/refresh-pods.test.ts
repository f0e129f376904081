import { expect, test } from "@jest/globals";
import type { Pod } from "../../../../src/api/pod.js";
import { IN_PLACE_UPDATE_STATE } from "../../../../src/api/names.js";
import { Pass } from "../../../../src/controller/clone-set/pass.js";
import { refreshPods } from "../../../../src/controller/clone-set/refresh-pods.js";
import { WaitRegister } from "../../../../src/controller/clone-set/wait-register.js";
import { silentMetrics } from "../../../../src/lib/metrics.js";
import { makeCloneSet, makeSetPod } from "../../../support/clone-set.js";
import { createStubInformer, stubDependencies } from "../../../support/controller-stub.js";

test("comes back when the kubelet's window is over, also if that happens in the middle of a look", async () => {
  const state = {
    revision: "web-new",
    updateTimestamp: "2026-01-02T03:04:04Z",
    lastContainerStatuses: { app: { imageID: "app@sha256:1" } },
  };
  const annotations = { [IN_PLACE_UPDATE_STATE]: JSON.stringify({ ...state, updateImages: true }) };
  const pod = makeSetPod({ lifecycle: "Updating", gate: "False", annotations });
  const owner = { apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", name: "web", uid: "set-uid", controller: true };
  const pods = createStubInformer<Pod>();
  pods.set({ ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
  const { deps, clock } = stubDependencies({ pods, nodePodRestarts: createStubInformer() });
  const windowMs = [0.5, 0, 0];
  const activities = { ...deps.activities, settlesInMs: () => windowMs.shift() ?? 0 };
  const pass = new Pass({ ...deps, activities }, makeCloneSet(), new AbortController().signal);
  await refreshPods(pass, new WaitRegister(silentMetrics, clock));
  expect(pass.requeueAfterMs).toBe(0.5);
});
