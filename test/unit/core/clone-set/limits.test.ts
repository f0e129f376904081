import { describe, expect, test } from "@jest/globals";
import { limitsOf } from "../../../../src/core/clone-set/limits.js";
import { makeCloneSet } from "../../../support/clone-set.js";

describe("limitsOf()", () => {
  test("fills in one replica, no partition and 20% unavailable", () => {
    const { selector, template } = makeCloneSet().spec;
    expect(limitsOf({ selector, template })).toEqual({ replicas: 1, partition: 0, maxUnavailable: 1 });
  });

  test.each([
    { partition: 3, replicas: 4, want: 3 },
    { partition: 9, replicas: 4, want: 4 },
    { partition: "50%", replicas: 5, want: 3 },
    { partition: "99%", replicas: 4, want: 3 },
    { partition: "100%", replicas: 4, want: 4 },
    { partition: "0%", replicas: 4, want: 0 },
    { partition: "99%", replicas: 1, want: 1 },
  ])("keeps $want of $replicas pods for partition $partition", ({ partition, replicas, want }) => {
    expect(limitsOf(makeCloneSet({ replicas, updateStrategy: { partition } }).spec).partition).toBe(want);
  });

  test.each([
    { maxUnavailable: 2, replicas: 4, want: 2 },
    { maxUnavailable: "25%", replicas: 5, want: 2 },
    { maxUnavailable: "20%", replicas: 0, want: 0 },
  ])("allows $want of $replicas unavailable for $maxUnavailable", ({ maxUnavailable, replicas, want }) => {
    expect(limitsOf(makeCloneSet({ replicas, updateStrategy: { maxUnavailable } }).spec).maxUnavailable).toBe(want);
  });
});
