import { describe, expect, test } from "@jest/globals";
import { FLOWS } from "../../../faults/flows/catalogue.js";
import { cellsOf } from "../../../faults/plan/cells.js";
import { expand } from "../../../faults/plan/expand.js";

describe("expand()", () => {
  test("makes the same plan of the same seed, and others of others", () => {
    expect(expand(17)).toEqual(expand(17));
    expect(expand(17)).not.toEqual(expand(18));
  });

  test("deals out every cell of every flow evenly", () => {
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 4_000; seed++) {
      const { flow, faults } = expand(seed);
      for (const { step, fault } of faults) counts.set(`${flow}/${step}/${fault}`, (counts.get(`${flow}/${step}/${fault}`) ?? 0) + 1);
    }
    const dealt = FLOWS.flatMap((flow) => cellsOf(flow).map(({ step, fault }) => counts.get(`${flow.name}/${step}/${fault.name}`) ?? 0));
    expect(Math.min(...dealt)).toBeGreaterThan(6);
    expect(Math.max(...dealt)).toBeLessThan(8 * Math.min(...dealt));
  });

  test("puts faults of one request where it has not left yet", () => {
    const faults = Array.from({ length: 500 }, (_, seed) => expand(seed)).flatMap((plan) => plan.faults);
    const lost = faults.filter(({ fault }) => fault === "lose-reply" || fault === "answer-409");
    expect(lost.length).toBeGreaterThan(10);
    for (const { phase, afterMs } of lost) expect([phase, afterMs]).toEqual(["before", 0]);
  });
});
