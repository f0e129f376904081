import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { benchScale, SCALE_GOALS, type ScaleResults } from "../../../bench/scale/scale.js";

/** The bench at its smallest: not for its figures, but so that it still runs when somebody needs them. */
let results: ScaleResults;
let directory: string;
const lines: string[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "podmend-scale-test-"));
  results = await benchScale({
    goals: SCALE_GOALS,
    nodes: [2, 5, 9],
    sets: 3,
    replicas: 2,
    podNodes: 3,
    together: 4,
    restarts: 20,
    restartPods: 5,
    settleMs: 500,
    idleMs: 300,
    awaitSweep: false,
    svgPath: join(directory, "curves.svg"),
    tell: (line) => void lines.push(line),
  });
}, 120_000);

afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("benchScale() times every restart that it asks for", () => {
  expect(results.latency?.samplesMs).toHaveLength(20);
  expect(results.latency?.samplesMs.every(Number.isFinite)).toBe(true);
  expect(results.latency?.floorMs.every(Number.isFinite)).toBe(true);
});

test("benchScale() counts the writes of updates in place", () => {
  const { alone, together } = results.writes ?? {};
  expect(alone?.writes).toMatchObject({ "controller controllerrevisions": 1, "agent nodepodrestarts": 1 });
  expect(alone?.writesPerPod).toBeLessThan(12);
  expect(together?.writesPerPod).toBeLessThan(12);
});

test("benchScale() rolls out all CloneSets and sends the same writes bare", () => {
  expect(results.rollout).toMatchObject({ sets: 3, pods: 6 });
  expect(results.rollout?.writesPerSecond).toBeGreaterThan(0);
  expect(results.rollout?.bareWritesPerSecond).toBeGreaterThan(0);
});

test("benchScale() pulls on every node of each size", () => {
  expect(results.pullJob?.map(({ nodes, succeeded }) => [nodes, succeeded])).toEqual([
    [2, 2],
    [5, 5],
    [9, 9],
  ]);
});

test("benchScale() gives a verdict on every goal, and the curves", () => {
  for (const goal of SCALE_GOALS)
    expect(lines.filter((line) => /^ {2}(met {4}|MISSED )/.test(line) && line.includes(` ${goal} `))).not.toEqual([]);
  expect(readFileSync(join(directory, "curves.svg"), "utf8")).toMatch(/^<svg .*<polyline .*<\/svg>\n$/s);
});
