import { describe, expect, test } from "@jest/globals";
import type { Plan, PlannedFault } from "../../../faults/plan/plan.js";
import { shrink } from "../../../faults/plan/shrink.js";

function fault(name: string): PlannedFault {
  return { step: "close-gate", phase: "before", nth: 2, afterMs: 700, fault: name, strength: 0.8 };
}

const PLAN: Plan = {
  seed: 1,
  flow: "env-update",
  shape: {
    nodeCount: 3,
    podCount: 5,
    maxUnavailable: 4,
    graceSeconds: 2,
    hasPreStop: true,
    isSeasoned: true,
    nodeDistanceMs: 99,
    hasSkewedClocks: true,
  },
  faults: ["a", "b", "c", "d", "e", "f", "g"].map(fault),
};

describe("shrink()", () => {
  test("leaves just what the failure needs: two faults that stand apart, and a second pod", async () => {
    let tries = 0;
    const smallest = await shrink(PLAN, ({ faults, shape }) => {
      tries++;
      const names = faults.map((planned) => planned.fault);
      return Promise.resolve(names.includes("b") && names.includes("f") && shape.podCount >= 2);
    });
    expect(smallest.faults.map((planned) => planned.fault)).toEqual(["b", "f"]);
    expect(smallest.shape).toEqual({
      nodeCount: 1,
      podCount: 2,
      maxUnavailable: 2,
      graceSeconds: 0,
      hasPreStop: false,
      isSeasoned: false,
      nodeDistanceMs: 0,
      hasSkewedClocks: false,
    });
    for (const { nth, afterMs } of smallest.faults) expect([nth, afterMs]).toEqual([1, 0]);
    expect(tries).toBeLessThan(250);
  });

  test("gives a plan back that nothing can be taken from", async () => {
    const one = { ...PLAN, faults: [fault("a")] };
    expect(await shrink(one, (plan) => Promise.resolve(plan === one))).toBe(one);
  });
});
