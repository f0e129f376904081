import { describe, expect, test } from "@jest/globals";
import { differences, type Runs, summarize } from "./comparison.js";
import { readPodRecording } from "./recording.js";
import { replay } from "./replay.js";
import type { Entry } from "./run.js";

const REPLAYS = 11;

describe("the kubelet model, given what OpenKruise did in a recording", () => {
  for (const name of ["env-update", "grace", "metadata-only", "recreate"]) {
    test(`${name}: writes the recorded statuses in the recorded order, at like times`, async () => {
      const recording = readPodRecording(name);
      const runs: ReadonlyMap<string, readonly Entry[]>[] = [];
      for (let seed = 1; seed <= REPLAYS; seed++) runs.push(await replay(recording, seed));

      expect(recording.entries.size).toBeGreaterThan(0);
      for (const [pod, entries] of recording.entries) {
        const model: Runs = summarize(runs.map((run) => run.get(pod) ?? []));
        expect([pod, differences(model, summarize([entries]))]).toEqual([pod, []]);
      }
    });
  }
});
