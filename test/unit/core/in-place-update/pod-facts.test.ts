import { describe, expect, test } from "@jest/globals";
import { isActive } from "../../../../src/core/in-place-update/pod-facts.js";
import { makeSetPod } from "../../../support/clone-set.js";

describe("isActive()", () => {
  test("is false for finished and terminating pods", () => {
    const pod = makeSetPod();
    expect(isActive(pod)).toBe(true);
    expect(isActive(makeSetPod({ phase: "Failed" }))).toBe(false);
    expect(isActive(makeSetPod({ phase: "Succeeded" }))).toBe(false);
    expect(isActive({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-02T03:00:00Z" } })).toBe(false);
  });
});
