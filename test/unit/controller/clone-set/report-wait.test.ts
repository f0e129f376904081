import { describe, expect, test } from "@jest/globals";
import type { Pod } from "../../../../src/api/pod.js";
import { Pass } from "../../../../src/controller/clone-set/pass.js";
import { reportWait } from "../../../../src/controller/clone-set/report-wait.js";
import { WaitRegister } from "../../../../src/controller/clone-set/wait-register.js";
import type { UpdateWait, WaitingFor } from "../../../../src/core/in-place-update/types.js";
import { silentMetrics } from "../../../../src/lib/metrics.js";
import { makeCloneSet, makeSetPod } from "../../../support/clone-set.js";
import { stubDependencies } from "../../../support/controller-stub.js";

const pod = makeSetPod({ name: "web-7k2z4" });

function setUp(): ReturnType<typeof stubDependencies> & { readonly newPass: () => Pass; readonly waits: WaitRegister } {
  const stub = stubDependencies();
  return {
    ...stub,
    newPass: () => new Pass(stub.deps, makeCloneSet(), new AbortController().signal),
    waits: new WaitRegister(silentMetrics, stub.clock),
  };
}

function waiting(sinceMs: number, waitingFor: WaitingFor = "image pull"): UpdateWait {
  return { waitingFor, sinceMs, container: "app", message: 'container "app" cannot start without its image' };
}

describe("reportWait()", () => {
  test("says nothing for 30 s and comes back then", () => {
    const { clock, events, newPass, waits } = setUp();
    const pass = newPass();
    reportWait(pass, { pod, wait: waiting(clock.nowMs() - 29_000), waits });
    expect(pass.failures).toEqual([]);
    expect(pass.requeueAfterMs).toBe(1_000);
    expect(events).toEqual([]);
  });

  test("then names pod, container, reason and since when, on the CloneSet and on the pod", () => {
    const { clock, events, newPass, waits } = setUp();
    const pass = newPass();
    reportWait(pass, { pod, wait: waiting(clock.nowMs() - 30_000), waits });
    const message = 'pod web-7k2z4: container "app" cannot start without its image (waiting for image pull since 2026-01-02T03:03:35Z)';
    expect(pass.failures).toEqual([{ type: "FailedUpdate", reason: "InPlaceUpdateStuck", message }]);
    expect(events).toMatchObject([
      { type: "Warning", reason: "InPlaceUpdateStuck", message, regarding: { kind: "CloneSet", name: "web" } },
      { type: "Warning", reason: "InPlaceUpdateStuck", message, regarding: { kind: "Pod", name: "web-7k2z4" } },
    ]);
  });

  test("records the events once while the same wait lasts, and anew for another", () => {
    const { clock, events, newPass, waits } = setUp();
    const wait = waiting(clock.nowMs() - 40_000);
    reportWait(newPass(), { pod, wait, waits });
    const again = newPass();
    reportWait(again, { pod, wait, waits });
    expect(events).toHaveLength(2);
    expect(again.failures).toHaveLength(1);
    reportWait(newPass(), { pod, wait: { ...wait, message: "ErrImagePull" }, waits });
    expect(events).toHaveLength(4);
    reportWait(newPass(), { pod, wait, waits });
    expect(events).toHaveLength(4); // the kubelet goes back and forth while it tries again and again
    waits.settle(pod);
    reportWait(newPass(), { pod, wait, waits });
    expect(events).toHaveLength(6);
  });

  const state = { revision: "web-1", updateTimestamp: "2026-01-02T03:00:00Z", lastContainerStatuses: null };
  const annotated = (more: object): Pod =>
    makeSetPod({ annotations: { "apps.kruise.io/inplace-update-state": JSON.stringify({ ...state, ...more }) } });

  test.each<{ readonly waitingFor: WaitingFor; readonly of: Pod; readonly eventCount: number }>([
    { waitingFor: "agent", of: pod, eventCount: 0 },
    { waitingFor: "kubelet", of: annotated({ updateEnvFromMetadata: true }), eventCount: 0 },
    { waitingFor: "kubelet", of: annotated({ updateImages: true }), eventCount: 2 },
    { waitingFor: "readiness", of: pod, eventCount: 2 },
  ])("records $eventCount events for a wait for $waitingFor, and the condition always", ({ waitingFor, of, eventCount }) => {
    const { clock, events, newPass, waits } = setUp();
    const pass = newPass();
    reportWait(pass, { pod: of, wait: waiting(clock.nowMs() - 40_000, waitingFor), waits });
    expect(pass.failures).toHaveLength(1);
    expect(events).toHaveLength(eventCount);
  });

  test("never calls a grace period stuck", () => {
    const { clock, newPass, waits } = setUp();
    const pass = newPass();
    reportWait(pass, { pod, wait: waiting(clock.nowMs() - 400_000, "grace"), waits });
    expect(pass.failures).toEqual([]);
    expect(pass.requeueAfterMs).toBeUndefined();
  });
});
