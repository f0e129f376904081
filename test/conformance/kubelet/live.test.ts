import { writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { differences, type Runs, summarize } from "./comparison.js";
import { runOnModel } from "./model-kubelet.js";
import { RealKubelet } from "./real-kubelet.js";
import type { Entry } from "./run.js";
import { SCENARIOS } from "./scenarios.js";

const MODEL_RUNS = 11;
const MUST_RECORD = process.env["RECORD"] === "1";
/** What is kept for all must be good; what is only compared is looked at again where it differs. */
const REAL_RUNS = MUST_RECORD ? 3 : 1;
const ALONE_RUNS = 3;
/** They wait more than they compute. */
const AT_ONCE = 6;
const ALONE_MS = 120_000;
const RECORDING = new URL("../../golden/kubelet-statuses.json", import.meta.url);

describe("the kubelet model, compared with the real one as it runs here", () => {
  const real = new Map<string, Runs>();
  let kubelet: RealKubelet;

  beforeAll(async () => {
    kubelet = await RealKubelet.open();
    await kubelet.warmUp();
    const traces = new Map<string, (readonly Entry[])[]>(SCENARIOS.map(({ name }) => [name, []]));
    // The longest ones last would make everybody wait for them.
    const queue = Array.from({ length: REAL_RUNS }, () => [...SCENARIOS].reverse()).flat();
    const work = async (): Promise<void> => {
      for (let scenario = queue.shift(); scenario !== undefined; scenario = queue.shift()) {
        traces.get(scenario.name)?.push(await kubelet.run(scenario));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    for (const [name, runs] of traces) real.set(name, summarize(runs));
    if (MUST_RECORD) writeFileSync(RECORDING, `${JSON.stringify(Object.fromEntries(real), undefined, 1)}\n`);
  }, 500_000);

  test.each(SCENARIOS)(
    "$name: the same statuses in the same order, at like times",
    async (scenario) => {
      const onModel: (readonly Entry[])[] = [];
      for (let seed = 1; seed <= MODEL_RUNS; seed++) onModel.push(await runOnModel(scenario, seed));
      const model = summarize(onModel);
      const atOnce = differences(model, real.get(scenario.name) ?? summarize([]));
      // On a busy machine several at once disturb each other: then what it does alone counts.
      const alone: (readonly Entry[])[] = [];
      while (atOnce.length > 0 && alone.length < ALONE_RUNS) alone.push(await kubelet.run(scenario));
      expect(alone.length === 0 ? atOnce : differences(model, summarize(alone))).toEqual([]);
    },
    ALONE_MS,
  );
});
