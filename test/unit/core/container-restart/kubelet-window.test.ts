import { describe, expect, test } from "@jest/globals";
import { IN_PLACE_UPDATE_READY, IN_PLACE_UPDATE_STATE } from "../../../../src/api/names.js";
import type { Pod } from "../../../../src/api/pod.js";
import { buildPodRestarts } from "../../../../src/core/container-restart/requests.js";
import { makePending, makeSituation, makeWish, written } from "./request-builders.js";
import { KUBELET_WINDOW_MS, nextActivity } from "../../../../src/core/container-restart/kubelet-window.js";

function pod({ state, gate = "True", phase = "Running" }: { state?: string; gate?: string; phase?: string }): Pod {
  return {
    metadata: { name: "web-0", ...(state === undefined ? {} : { annotations: { [IN_PLACE_UPDATE_STATE]: state } }) },
    spec: { containers: [] },
    status: { phase, conditions: [{ type: IN_PLACE_UPDATE_READY, status: gate }] },
  };
}

const SETTLED = { activeAtMs: 1_000, stopNotBeforeMs: 500 };

describe("nextActivity()", () => {
  test("a pod seen for the first time may have been touched just now", () => {
    expect(nextActivity(undefined, { after: pod({ state: "a" }) }, 9_000)).toEqual({
      activeAtMs: 9_000,
      stopNotBeforeMs: 9_000 + KUBELET_WINDOW_MS,
    });
  });

  test("an update of a pod that was quiet for long may stop at once", () => {
    const flipped = nextActivity(SETTLED, { before: pod({}), after: pod({ gate: "False" }) }, 60_000);
    expect(flipped.activeAtMs).toBe(1_000);
    const begun = nextActivity(flipped, { before: pod({ gate: "False" }), after: pod({ gate: "False", state: "a" }) }, 60_020);
    expect(begun).toEqual({ activeAtMs: 60_020, stopNotBeforeMs: 1_000 + KUBELET_WINDOW_MS });
    expect(begun.stopNotBeforeMs).toBeLessThan(60_020);
  });

  test("an update that begins in one write with the flip to not ready gives the kubelet something to do", () => {
    const begun = nextActivity(SETTLED, { before: pod({}), after: pod({ gate: "False", state: "a" }) }, 60_000);
    expect(begun).toEqual({ activeAtMs: 60_000, stopNotBeforeMs: 1_000 + KUBELET_WINDOW_MS });
  });

  test("an update right after the pod became ready waits until the kubelet is through with that", () => {
    const ready = nextActivity(SETTLED, { before: pod({ phase: "Pending" }), after: pod({}) }, 60_000);
    const begun = nextActivity(ready, { before: pod({}), after: pod({ state: "a" }) }, 60_300);
    expect(begun.stopNotBeforeMs).toBe(60_000 + KUBELET_WINDOW_MS);
  });

  test("a second update right after the first waits for the first", () => {
    const first = nextActivity(SETTLED, { before: pod({}), after: pod({ state: "a" }) }, 60_000);
    const second = nextActivity(first, { before: pod({ state: "a" }), after: pod({ state: "b" }) }, 60_400);
    expect(second.stopNotBeforeMs).toBe(60_000 + KUBELET_WINDOW_MS);
  });

  test("what happens during an update moves no wait", () => {
    const begun = nextActivity(SETTLED, { before: pod({}), after: pod({ state: "a" }) }, 60_000);
    const later = nextActivity(begun, { before: pod({ state: "a" }), after: pod({ state: "a", phase: "Failed" }) }, 60_900);
    expect(later.stopNotBeforeMs).toBe(begun.stopNotBeforeMs);
  });
});

describe("buildPodRestarts() while the kubelet may hold an older version of the pod", () => {
  const wish = makeWish({ stopNotBeforeMs: 1_500 });

  test("asks for no stop yet, and comes back when it may", () => {
    const built = buildPodRestarts(makeSituation({ wishes: [wish], nowMs: 400 }));
    expect(built.podRestarts).toBeUndefined();
    expect(built.requeueAfterMs).toBe(1_100);
  });

  test("asks for the stop when the time has come", () => {
    const built = buildPodRestarts(makeSituation({ wishes: [wish], nowMs: 1_500 }));
    expect(built.podRestarts?.[0]?.requests).toMatchObject([{ containerID: "containerd://c0", stopWhile: { envHashNot: 5 } }]);
  });

  test("keeps what it has asked for already", () => {
    const first = makeSituation();
    const previous = written(first.previous, buildPodRestarts(first).podRestarts);
    expect(buildPodRestarts(makeSituation({ wishes: [wish], previous, nowMs: 400 })).podRestarts).toBeUndefined();
  });

  test("withdraws a stop for an older revision", () => {
    const first = makeSituation({ wishes: [makeWish({ revision: "web-old" })] });
    const previous = written(first.previous, buildPodRestarts(first).podRestarts);
    expect(buildPodRestarts(makeSituation({ wishes: [wish], previous, nowMs: 400 })).podRestarts).toEqual([]);
  });

  test("asks at once for facts that follow an image change", () => {
    const wishes = [makeWish({ stopNotBeforeMs: 1_500, pending: [makePending({ reason: "image" })] })];
    expect(buildPodRestarts(makeSituation({ wishes, nowMs: 400 })).podRestarts).toHaveLength(1);
  });
});
