import { describe, expect, test } from "@jest/globals";
import { observePod } from "../../../../src/core/clone-set/observed-pod.js";
import { makeSetPod, type PodTraits } from "../../../support/clone-set.js";

const measure = { updateRevision: "web-new", minReadySeconds: 0, nowMs: Date.parse("2026-01-02T03:00:10Z") };

describe("observePod()", () => {
  test.each<{ readonly traits: PodTraits; readonly isReady: boolean; readonly isAvailable: boolean }>([
    { traits: {}, isReady: true, isAvailable: true },
    { traits: { lifecycle: "" }, isReady: true, isAvailable: true },
    { traits: { lifecycle: "Updating" }, isReady: true, isAvailable: false },
    { traits: { lifecycle: "PreparingNormal" }, isReady: true, isAvailable: false },
    { traits: { gate: "False" }, isReady: false, isAvailable: false },
    { traits: { ready: false }, isReady: false, isAvailable: false },
    { traits: { phase: "Pending" }, isReady: false, isAvailable: false },
  ])("of $traits is ready: $isReady, available: $isAvailable", ({ traits, isReady, isAvailable }) => {
    expect(observePod(makeSetPod(traits), measure)).toMatchObject({ isReady, isAvailable });
  });

  test("is available at once without minReadySeconds, also when the node's clock is ahead", () => {
    expect(observePod(makeSetPod(), { ...measure, nowMs: Date.parse("2026-01-02T02:00:00Z") }).isAvailable).toBe(true);
  });

  test("is available once the pod has been ready for minReadySeconds", () => {
    expect(observePod(makeSetPod(), { ...measure, minReadySeconds: 10 }).isAvailable).toBe(true);
    expect(observePod(makeSetPod(), { ...measure, minReadySeconds: 11 }).isAvailable).toBe(false);
  });

  test("says since when the pod is ready, and nothing while it is not", () => {
    expect(observePod(makeSetPod(), measure).readySinceMs).toBe(Date.parse("2026-01-02T03:00:00Z"));
    expect(observePod(makeSetPod({ ready: false }), measure)).not.toHaveProperty("readySinceMs");
  });

  test("counts a pod as updated by the revision its label names", () => {
    expect(observePod(makeSetPod(), measure).isUpdated).toBe(true);
    expect(observePod(makeSetPod({ revision: "web-old" }), measure).isUpdated).toBe(false);
    // OpenKruise with the gate CloneSetShortHash leaves such pods behind; they must not be taken for old ones.
    expect(observePod(makeSetPod({ revision: "new" }), measure).isUpdated).toBe(true);
  });

  test("marks a pod by the specified-delete label, whatever its value, and by state PreparingDelete", () => {
    expect(observePod(makeSetPod({ labels: { "apps.kruise.io/specified-delete": "" } }), measure).isToDelete).toBe(true);
    expect(observePod(makeSetPod({ lifecycle: "PreparingDelete" }), measure).isToDelete).toBe(true);
    expect(observePod(makeSetPod(), measure).isToDelete).toBe(false);
  });
});
