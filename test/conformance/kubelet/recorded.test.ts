import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { differences, type Runs, summarize } from "./comparison.js";
import { runOnModel } from "./model-kubelet.js";
import type { Entry } from "./run.js";
import { SCENARIOS, type Scenario } from "./scenarios.js";

const RECORDED = new URL("../../golden/kubelet-statuses.json", import.meta.url);
const MODEL_RUNS = 11;

/** The statuses that the real kubelet of the test cluster wrote; live.test.ts records them anew with RECORD=1. */
const recorded = JSON.parse(readFileSync(RECORDED, "utf8")) as Readonly<Record<string, Runs>>;

async function onModel(scenario: Scenario): Promise<Runs> {
  const runs: (readonly Entry[])[] = [];
  for (let seed = 1; seed <= MODEL_RUNS; seed++) runs.push(await runOnModel(scenario, seed));
  return summarize(runs);
}

describe("the kubelet model, compared with recordings of the real one", () => {
  test("every scenario is recorded, and there are enough", () => {
    expect(Object.keys(recorded).sort()).toEqual(SCENARIOS.map(({ name }) => name).sort());
    expect(SCENARIOS.length).toBeGreaterThanOrEqual(15);
  });

  test.each(SCENARIOS)("$name: the same statuses in the same order, at like times", async (scenario) => {
    const real = recorded[scenario.name];
    if (real === undefined) throw new Error(`${scenario.name} is not recorded`);
    expect(differences(await onModel(scenario), real)).toEqual([]);
  });
});

describe("differences()", () => {
  const entry = (text: string, sinceActMs: number): Entry => ({ act: "0 create", text, sinceActMs });
  const model = summarize([[entry("a", 0), entry("b", 100), entry("c", 2_000)]]);
  const found = (...real: readonly (readonly Entry[])[]): number => differences(model, summarize(real)).length;
  const whole = [entry("a", 0), entry("b", 100), entry("c", 2_000)];

  test("finds another order, a status too many, and runs that are all incomplete", () => {
    expect(found(whole)).toBe(0);
    expect(found(whole, [entry("a", 0), entry("c", 2_000)])).toBe(0);
    expect(found([entry("a", 0), entry("c", 2_000)])).toBe(1);
    expect(found(whole, [entry("b", 100), entry("a", 0), entry("c", 2_000)])).toBe(1);
    expect(found(whole, [...whole, entry("d", 3_000)])).toBe(1);
  });

  test("finds times that differ by more than half and half a second, either way", () => {
    expect(found([entry("a", 0), entry("b", 100), entry("c", 3_500)])).toBe(0);
    expect(found([entry("a", 0), entry("b", 100), entry("c", 3_501)])).toBe(1);
    expect(found([entry("a", 0), entry("b", 100), entry("c", 1_000)])).toBe(0);
    expect(found([entry("a", 0), entry("b", 100), entry("c", 999)])).toBe(1);
  });
});
