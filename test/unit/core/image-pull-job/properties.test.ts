import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { ImagePullJob, ImagePullJobStatus } from "../../../../src/api/image-pull-job.js";
import { jobSettings } from "../../../../src/core/image-pull-job/job-settings.js";
import { nodeOutcome, outcomeContext } from "../../../../src/core/image-pull-job/node-outcome.js";
import { PullWorld } from "./pull-world.js";

type Step =
  | { readonly do: "job"; readonly job: string; readonly crashAfter: number }
  | { readonly do: "node"; readonly node: number }
  | { readonly do: "answer"; readonly node: number; readonly phase: "Pulling" | "Succeeded" | "Failed" }
  | { readonly do: "wait"; readonly seconds: number };

const NODES = 5;
const node = fc.nat({ max: NODES - 1 });
const job = fc.constantFrom("one", "two");
const phase = fc.constantFrom("Pulling", "Succeeded", "Failed");
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("job"), job, crashAfter: fc.constantFrom(0, 1, 99, 99, 99) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("node"), node }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("answer"), node, phase }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("wait"), seconds: fc.constantFrom(1, 700) }) },
  ),
  { maxLength: 80 },
);
const policies = fc.record({ parallelism: fc.integer({ min: 1, max: 3 }), imagePullPolicy: fc.constantFrom("Always", "IfNotPresent") });

function take(world: PullWorld, step: Step): void {
  if (step.do === "job") world.lookAtJob(step.job, step.crashAfter);
  else if (step.do === "node") world.lookAtNode(`n${step.node}`);
  else if (step.do === "answer") world.answer(`n${step.node}`, step.phase);
  else world.nowMs += step.seconds * 1000;
}

/** Nodes by what the job makes of them, from the objects alone. */
function outcomes(world: PullWorld, pullJob: ImagePullJob): ReadonlyMap<string, string> {
  const settings = jobSettings(pullJob.spec);
  if (settings === undefined) throw new Error("no settings");
  const context = outcomeContext(pullJob, settings, { nowMs: world.nowMs });
  return new Map([...world.nodeImages].map(([name, nodeImage]) => [name, nodeOutcome({ name, nodeImage }, context).type]));
}

function activeCounts(world: PullWorld): ReadonlyMap<string, number> {
  const active = (pullJob: ImagePullJob) => [...outcomes(world, pullJob).values()].filter((outcome) => outcome === "active").length;
  return new Map([...world.jobs].map(([name, pullJob]) => [name, active(pullJob)]));
}

describe("two jobs for one image, in any order of steps, crashes and answers", () => {
  test("parallelism is never exceeded, and a node's end for a job that ends is never taken back", () => {
    fc.assert(
      fc.property(steps, policies, policies, (sequence, one, two) => {
        const world = new PullWorld(NODES);
        world.addJob("one", one);
        world.addJob("two", two);
        const ends = new Map<string, string>();
        for (const step of sequence) {
          const before = activeCounts(world);
          take(world, step);
          for (const [name, active] of activeCounts(world)) {
            // Only looking at a job asks nodes; a node that comes back after a long silence may make it one more for a while.
            const allowed = step.do === "job" ? 0 : (before.get(name) ?? 0);
            expect(active).toBeLessThanOrEqual(Math.max(name === "one" ? one.parallelism : two.parallelism, allowed));
          }
          for (const pullJob of world.jobs.values()) noteEnds(ends, world, pullJob);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("once agents answer, every job ends, with exactly one outcome for every node", () => {
    fc.assert(
      fc.property(steps, policies, policies, (sequence, one, two) => {
        const world = new PullWorld(NODES);
        world.addJob("one", one);
        world.addJob("two", two);
        for (const step of sequence) take(world, step);
        for (let round = 0; round < 4 * NODES; round++) {
          for (const name of world.jobs.keys()) world.lookAtJob(name);
          for (const name of world.nodeImages.keys()) {
            world.lookAtNode(name);
            world.answer(name, (round + name.charCodeAt(1)) % 3 === 0 ? "Failed" : "Succeeded");
          }
        }
        for (const { status } of world.jobs.values()) expectEnd(status);
      }),
      { numRuns: 300 },
    );
  });
});

/** Once succeeded always succeeded; once listed as failed always failed. */
function noteEnds(ends: Map<string, string>, world: PullWorld, pullJob: ImagePullJob): void {
  if (pullJob.status?.completionTime !== undefined) return;
  const given = pullJob.status?.failedNodes ?? [];
  for (const [name, outcome] of outcomes(world, pullJob)) {
    const key = `${pullJob.metadata.name}/${name}`;
    const before = ends.get(key);
    if (before !== undefined) expect(`${key} ${outcome}`).toBe(`${key} ${before}`);
    if (outcome === "succeeded" || given.includes(name)) ends.set(key, outcome);
  }
}

function expectEnd(status: ImagePullJobStatus | undefined): void {
  const { succeeded = 0, failed, failedNodes = [] } = status ?? { desired: 0 };
  expect(status).toMatchObject({ desired: NODES, active: 0, succeeded: NODES - failedNodes.length });
  expect([failed, succeeded + failedNodes.length]).toEqual([failedNodes.length, NODES]);
  expect(status?.completionTime).toBeDefined();
}
