import { describe, expect, test } from "@jest/globals";
import type { Pod } from "../../../../src/api/pod.js";
import { forgetLeavingPods } from "../../../../src/controller/clone-set/forget-pods.js";
import { Holds } from "../../../../src/controller/clone-set/holds.js";
import { WaitRegister } from "../../../../src/controller/clone-set/wait-register.js";
import { silentMetrics } from "../../../../src/lib/metrics.js";
import { makeSetPod } from "../../../support/clone-set.js";
import { createStubInformer, stubDependencies } from "../../../support/controller-stub.js";

const owner = { apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", name: "web", uid: "set-uid", controller: true };
const plain = makeSetPod();
const pod: Pod = { ...plain, metadata: { ...plain.metadata, ownerReferences: [owner] } };
const wait = { waitingFor: "kubelet", sinceMs: 0, message: "still runs its old image" } as const;

interface Remains {
  readonly isUnanswered: boolean;
  readonly isHeld: boolean;
  readonly isWaiting: boolean;
}

/** Remembers a hold and a reported wait of the pod, and says what is left of them once the pod has become `after`. */
function remainsAfter(after: Pod): Remains {
  const { deps, clock } = stubDependencies();
  const pods = createStubInformer<Pod>();
  const memory = {
    holds: new Holds(clock, deps.random, 300_000),
    unanswered: new Set<string>(),
    waits: new WaitRegister(silentMetrics, clock),
  };
  forgetLeavingPods(pods, memory);
  pods.set(pod);
  memory.holds.add("web-aaaaa-uid", "web-1", "refused");
  memory.waits.note(pod, wait, true);
  memory.unanswered.add("web-aaaaa-uid");
  pods.set(after);
  return {
    isUnanswered: memory.unanswered.size > 0,
    isHeld: memory.holds.current("web-aaaaa-uid", "web-1") !== undefined,
    isWaiting: memory.waits.note(pod, wait, false),
  };
}

describe("forgetLeavingPods()", () => {
  test("keeps what is remembered of a pod that only changes", () => {
    const after = { ...pod, metadata: { ...pod.metadata, resourceVersion: "2" } };
    expect(remainsAfter(after)).toEqual({ isUnanswered: true, isHeld: true, isWaiting: true });
  });

  test.each<{ readonly when: string; readonly after: Pod }>([
    { when: "is being deleted", after: { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-02T03:04:05Z" } } },
    { when: "has finished", after: { ...pod, status: { phase: "Failed" } } },
    { when: "is released", after: plain },
    { when: "makes room for another of its name", after: { ...pod, metadata: { ...pod.metadata, uid: "other" } } },
  ])("forgets a pod that $when", ({ after }) => {
    expect(remainsAfter(after)).toEqual({ isUnanswered: false, isHeld: false, isWaiting: false });
  });
});
