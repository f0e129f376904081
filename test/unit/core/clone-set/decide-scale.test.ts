import { describe, expect, test } from "@jest/globals";
import { decideScale } from "../../../../src/core/clone-set/decide-scale.js";
import type { ObservedPod } from "../../../../src/core/clone-set/observed-pod.js";
import { observed } from "../../../support/clone-set.js";

const limits = { replicas: 3, partition: 0, maxUnavailable: 1 };
const names = (pods: readonly ObservedPod[]): readonly string[] => pods.map(({ pod }) => pod.metadata.name);

describe("decideScale()", () => {
  test("creates what is missing at the template's revision", () => {
    expect(decideScale([observed("a")], limits)).toEqual({ createCurrent: 0, createUpdated: 2, remove: [] });
  });

  test("creates the partition's share at the old revision", () => {
    const pods = [observed("a", { isUpdated: false })];
    expect(decideScale(pods, { ...limits, partition: 2 })).toMatchObject({ createCurrent: 1, createUpdated: 1 });
  });

  test("creates at most 500 at once, so that no number of replicas exhausts the controller", () => {
    const huge = { ...limits, replicas: 2_147_483_647, partition: 300 };
    expect(decideScale([], huge)).toMatchObject({ createCurrent: 300, createUpdated: 200 });
    expect(decideScale([], { ...limits, replicas: 500 })).toMatchObject({ createUpdated: 500 });
  });

  test("does nothing when the count is right", () => {
    expect(decideScale([observed("a"), observed("b"), observed("c")], limits)).toEqual({
      createCurrent: 0,
      createUpdated: 0,
      remove: [],
    });
  });

  test("removes old pods beyond the partition before updated ones", () => {
    const pods = [observed("new1"), observed("new2"), observed("old1", { isUpdated: false }), observed("old2", { isUpdated: false })];
    expect(names(decideScale(pods, limits).remove)).toEqual(["old1"]);
    expect(names(decideScale(pods, { ...limits, partition: 2 }).remove)).toEqual(["new1"]);
  });

  test("removes pods that are not ready first, whatever it costs", () => {
    const pods = [observed("a"), observed("b"), observed("c"), observed("sick", { isReady: false, isAvailable: false })];
    expect(names(decideScale(pods, limits).remove)).toEqual(["sick"]);
  });

  test("removes a pod once more whose deletion got no answer, before any other: that one might be one too many", () => {
    const pods = [
      observed("a"),
      observed("sick", { isReady: false, isAvailable: false }),
      observed("b"),
      observed("c", { mayBeGone: true }),
    ];
    expect(names(decideScale(pods, limits).remove)).toEqual(["c"]);
  });

  test("removes all ready surplus when the rest is available", () => {
    const pods = ["a", "b", "c", "d", "e", "f"].map((name) => observed(name));
    expect(decideScale(pods, limits).remove).toHaveLength(3);
  });

  test("keeps ready surplus back while too many others are unavailable", () => {
    const sick = { isUpdated: true, isReady: false, isAvailable: false, isToDelete: false };
    const pods = [observed("sick1", sick), observed("sick2", sick), observed("a"), observed("b")];
    expect(names(decideScale(pods, { ...limits, replicas: 2, maxUnavailable: 0 }).remove)).toEqual(["sick1", "sick2"]);
  });

  test("replaces marked pods within the limit, those that are not ready freely", () => {
    const pods = [
      observed("a", { isToDelete: true }),
      observed("b", { isToDelete: true }),
      observed("sick", { isToDelete: true, isReady: false, isAvailable: false }),
    ];
    expect(names(decideScale(pods, limits).remove)).toEqual(["sick"]);
    expect(names(decideScale(pods, { ...limits, maxUnavailable: 2 }).remove)).toEqual(["sick", "a"]);
  });

  test("scales down by nothing else while marked pods are still there", () => {
    const pods = [observed("a"), observed("b"), observed("c"), observed("d"), observed("marked", { isToDelete: true })];
    expect(names(decideScale(pods, limits).remove)).toEqual(["marked"]);
  });

  test.each([
    { rule: "unassigned pods", first: observed("x", { isReady: false }, { nodeName: "" }), rest: observed("a", { isReady: false }) },
    { rule: "pending pods", first: observed("x", { isReady: false }, { phase: "Pending" }), rest: observed("a", { isReady: false }) },
    {
      rule: "cheap pods",
      first: observed("x", {}, { annotations: { "controller.kubernetes.io/pod-deletion-cost": "-5" } }),
      rest: observed("a"),
    },
    { rule: "pods with more restarts", first: observed("x", {}, { restarts: 3 }), rest: observed("a") },
    { rule: "newer pods", first: observed("x", {}, { created: "2026-01-02T02:30:00Z" }), rest: observed("a") },
    { rule: "pods ready for less time", first: observed("x", { readySinceMs: 2 }), rest: observed("a", { readySinceMs: 1 }) },
  ])("takes $rule first", ({ first, rest }) => {
    expect(names(decideScale([rest, first], { ...limits, replicas: 1 }).remove)).toEqual(["x"]);
  });

  test("takes pods of crowded nodes first", () => {
    const pods = [
      observed("a", {}, { nodeName: "lonely" }),
      observed("b", {}, { nodeName: "crowded" }),
      observed("c", {}, { nodeName: "crowded" }),
    ];
    expect(names(decideScale(pods, { ...limits, replicas: 2 }).remove)).toEqual(["b"]);
  });
});
