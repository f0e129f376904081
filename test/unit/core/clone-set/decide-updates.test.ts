import { describe, expect, test } from "@jest/globals";
import { decideUpdates } from "../../../../src/core/clone-set/decide-updates.js";
import type { ObservedPod } from "../../../../src/core/clone-set/observed-pod.js";
import { observed } from "../../../support/clone-set.js";

const limits = { replicas: 4, partition: 0, maxUnavailable: 1 };
const names = (pods: readonly ObservedPod[]): readonly string[] => pods.map(({ pod }) => pod.metadata.name);
const old = (name: string, facts: Partial<Omit<ObservedPod, "pod">> = {}): ObservedPod => observed(name, { isUpdated: false, ...facts });
const sick = { isReady: false, isAvailable: false };

describe("decideUpdates()", () => {
  test("starts as many pods as may be unavailable", () => {
    const pods = [old("a"), old("b"), old("c"), old("d")];
    expect(names(decideUpdates(pods, limits))).toEqual(["a"]);
    expect(names(decideUpdates(pods, { ...limits, maxUnavailable: 3 }))).toEqual(["a", "b", "c"]);
  });

  test("starts nothing while an updated pod is not available yet", () => {
    expect(decideUpdates([observed("n", sick), old("b"), old("c"), old("d")], limits)).toEqual([]);
  });

  test("takes old pods that are unavailable first and lets them cost nothing", () => {
    const pods = [old("a"), old("b"), old("c"), old("broken", sick)];
    expect(names(decideUpdates(pods, limits))).toEqual(["broken"]);
    expect(names(decideUpdates(pods, { ...limits, maxUnavailable: 2 }))).toEqual(["broken", "a"]);
  });

  test("repairs pods of a bad revision without touching good ones", () => {
    const pods = [old("bad", sick), old("b"), old("c"), old("d")];
    expect(names(decideUpdates(pods, limits))).toEqual(["bad"]);
  });

  test("keeps the partition at the old revision", () => {
    const pods = [observed("n"), old("b"), old("c"), old("d")];
    expect(names(decideUpdates(pods, { ...limits, partition: 2, maxUnavailable: 4 }))).toEqual(["b"]);
    expect(decideUpdates(pods, { ...limits, partition: 3, maxUnavailable: 4 })).toEqual([]);
  });

  test("counts a pod that waits to be replaced as started", () => {
    const pods = [old("marked", { isToDelete: true }), old("b"), old("c"), old("d")];
    expect(decideUpdates(pods, limits)).toEqual([]);
    expect(names(decideUpdates(pods, { ...limits, partition: 2, maxUnavailable: 4 }))).toEqual(["b"]);
  });

  test("never updates more than the replicas beyond the partition, however many old pods there are", () => {
    const pods = ["a", "b", "c", "d", "e", "f"].map((name) => old(name));
    expect(decideUpdates(pods, { replicas: 3, partition: 1, maxUnavailable: 3 })).toHaveLength(2);
  });

  test("takes no available pod while another that is not updated uses up what may be unavailable", () => {
    const pods = [old("broken", sick), old("b"), old("c"), old("d")];
    expect(decideUpdates(pods, limits, new Set(["broken-uid"]))).toEqual([]);
    expect(names(decideUpdates(pods, { ...limits, maxUnavailable: 2 }, new Set(["broken-uid"])))).toEqual(["b"]);
  });

  test("goes on to the next pod when one is held back", () => {
    const pods = [old("a"), old("b"), old("c"), old("d")];
    expect(names(decideUpdates(pods, limits, new Set(["a-uid"])))).toEqual(["b"]);
  });
});
