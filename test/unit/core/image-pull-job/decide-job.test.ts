import { describe, expect, test } from "@jest/globals";
import type { ImagePullJob, ImagePullJobSpec, ImagePullJobStatus } from "../../../../src/api/image-pull-job.js";
import type { ImageTagStatus, NodeImage } from "../../../../src/api/node-image.js";
import { decideJob, type JobPlan, withRefused } from "../../../../src/core/image-pull-job/decide-job.js";
import { decideJobWrite } from "../../../../src/core/image-pull-job/decide-job-write.js";
import { keepForMs } from "../../../../src/core/image-pull-job/finished-job.js";
import { jobSettings } from "../../../../src/core/image-pull-job/job-settings.js";
import { makeJob, makeNodeImage, ownedBy } from "../../../support/images.js";

const START = "2026-01-01T00:00:00Z";
const START_MS = Date.parse(START);

/** A node that the job has asked at START, with what its agent says. */
function asked(name: string, phase?: string, rest: Partial<ImageTagStatus> = {}): NodeImage {
  const tag = { tag: "v2", createdAt: START, ownerReferences: [ownedBy()], pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 } };
  return makeNodeImage(name, [tag], phase === undefined ? [] : [{ tag: "v2", phase, ...rest }]);
}

function plan(given: {
  spec?: Partial<ImagePullJobSpec>;
  status?: ImagePullJobStatus;
  nodes: readonly NodeImage[];
  waiting?: readonly string[];
  nowMs?: number;
  watchingSinceMs?: number;
}): JobPlan {
  const { spec, status, nodes, waiting = [], nowMs = START_MS, watchingSinceMs = START_MS } = given;
  const job: ImagePullJob = makeJob(spec, status === undefined ? {} : { status });
  const settings = jobSettings(job.spec);
  if (settings === undefined) throw new Error("no settings");
  const targets = [
    ...nodes.map((nodeImage) => ({ name: nodeImage.metadata.name, nodeImage })),
    ...waiting.map((name) => ({ name, nodeImage: undefined })),
  ];
  return decideJob(job, settings, { nodes: targets, nowMs, watchingSinceMs });
}

const RUNNING = { desired: 3, startTime: START };

describe("decideJob()", () => {
  test("a new job starts and asks the first node by name", () => {
    expect(plan({ nodes: [makeNodeImage("c"), makeNodeImage("a"), makeNodeImage("b")] })).toEqual({
      assign: ["a"],
      refresh: [],
      failures: [],
      requeueAfterMs: undefined,
      status: { startTime: START, desired: 3, active: 1, succeeded: 0, failed: 0, message: "job is running, progress 0.0%" },
    });
  });

  for (const { when, parallelism, nodes, want } of [
    { when: "one of two places is taken", parallelism: 2, nodes: [asked("a"), makeNodeImage("b"), makeNodeImage("c")], want: ["b"] },
    { when: "all places are taken", parallelism: 2, nodes: [asked("a"), asked("b", "Pulling"), makeNodeImage("c")], want: [] },
    { when: "one has ended well", parallelism: 1, nodes: [asked("a", "Succeeded"), makeNodeImage("b")], want: ["b"] },
    { when: "one has ended badly", parallelism: 1, nodes: [asked("a", "Failed"), makeNodeImage("b")], want: ["b"] },
    { when: "an end is of an older round", parallelism: 1, nodes: [asked("a", "Succeeded", { version: 9 }), makeNodeImage("b")], want: [] },
    { when: "the job is paused", parallelism: 0, nodes: [makeNodeImage("a")], want: [] },
    { when: "parallelism was lowered below what runs", parallelism: "1", nodes: [asked("a"), asked("b"), makeNodeImage("c")], want: [] },
    { when: "there are more places than nodes", parallelism: 10, nodes: [makeNodeImage("a"), makeNodeImage("b")], want: ["a", "b"] },
  ]) {
    test(`decideJob() asks [${want.join()}] when ${when}`, () =>
      expect(plan({ spec: { parallelism }, nodes, status: RUNNING }).assign).toEqual(want));
  }

  test("progress counts both ends", () => {
    const { status, failures } = plan({
      nodes: [asked("a", "Succeeded"), asked("b", "Failed", { message: "no space" }), asked("c")],
      status: RUNNING,
    });
    expect(status).toMatchObject({ active: 1, succeeded: 1, failed: 1, failedNodes: ["b"], message: "job is running, progress 66.7%" });
    expect(failures).toEqual([{ node: "b", message: "no space" }]);
  });

  test("a failure that the status lists already is not told again", () => {
    const status = { ...RUNNING, failed: 1, failedNodes: ["b"] };
    expect(plan({ nodes: [asked("a"), asked("b", "Failed")], status }).failures).toEqual([]);
  });

  test("the job completes when every node has an end", () => {
    expect(plan({ nodes: [asked("a", "Succeeded"), asked("b", "Failed")], status: RUNNING, nowMs: START_MS + 9_000 }).status).toEqual({
      startTime: START,
      completionTime: "2026-01-01T00:00:09Z",
      desired: 2,
      active: 0,
      succeeded: 1,
      failed: 1,
      failedNodes: ["b"],
      message: "job has completed",
    });
  });

  test("a job without nodes completes at once", () => {
    expect(plan({ nodes: [] }).status).toMatchObject({ desired: 0, message: "job has completed", completionTime: START });
  });

  test("a job of type Never does neither", () => {
    const never = { completionPolicy: { type: "Never" } };
    expect(plan({ spec: never, nodes: [] }).status).toMatchObject({ message: "job is running, no progress" });
    const done = plan({ spec: never, nodes: [asked("a", "Succeeded")], status: RUNNING }).status;
    expect(done).toMatchObject({ succeeded: 1, message: "job is running, progress 100.0%" });
    expect(done.completionTime).toBeUndefined();
  });

  test("a new node without a NodeImage counts, and keeps the job from ending, but cannot be asked yet", () => {
    const { assign, status } = plan({ nodes: [asked("a", "Succeeded")], waiting: ["new"], status: RUNNING });
    expect(assign).toEqual([]);
    expect(status).toMatchObject({ desired: 2, active: 0, succeeded: 1 });
    expect(status.completionTime).toBeUndefined();
  });

  test("the deadline fails whatever has not ended", () => {
    const spec = { completionPolicy: { activeDeadlineSeconds: 60 } };
    const nodes = [asked("a", "Succeeded"), asked("b"), makeNodeImage("c")];
    expect(plan({ spec, nodes, status: RUNNING, nowMs: START_MS + 59_000 })).toMatchObject({ requeueAfterMs: 1_000 });
    expect(plan({ spec, nodes, waiting: ["d"], status: RUNNING, nowMs: START_MS + 60_000 })).toMatchObject({
      assign: [],
      status: {
        active: 0,
        succeeded: 1,
        failed: 3,
        failedNodes: ["b", "c", "d"],
        message: "job exceeds activeDeadlineSeconds",
        completionTime: "2026-01-01T00:01:00Z",
      },
    });
  });

  test("an agent that says nothing is named after 30 s and fails after the timeout", () => {
    const at = (seconds: number) => plan({ nodes: [asked("a"), asked("b", "Pulling")], status: RUNNING, nowMs: START_MS + seconds * 1000 });
    expect(at(0)).toMatchObject({ requeueAfterMs: 30_000, status: { message: "job is running, progress 0.0%" } });
    expect(at(30)).toMatchObject({
      requeueAfterMs: 570_000,
      status: { active: 2, message: "job is running, progress 0.0%, no answer from the agents on: a" },
    });
    expect(at(600).status).toMatchObject({ active: 1, failed: 1, failedNodes: ["a"] });
    expect(at(600).failures[0]?.message).toContain('the agent on node "a" has not answered since 2026-01-01T00:00:00Z');
  });

  test("a controller whose clock is ahead of the one that asked waits as long as any other", () => {
    const watchingSinceMs = START_MS + 3_600_000;
    const after = (seconds: number) =>
      plan({ nodes: [asked("a")], status: RUNNING, watchingSinceMs, nowMs: watchingSinceMs + seconds * 1000 });
    expect(after(0)).toMatchObject({ requeueAfterMs: 30_000, status: { failed: 0, message: "job is running, progress 0.0%" } });
    expect(after(599).status.failed).toBe(0);
    expect(after(600).status.failed).toBe(1);
  });

  test("a short timeout of the pull does not give up on an agent that restarts", () => {
    const spec = { pullPolicy: { timeoutSeconds: 5 } };
    expect(plan({ spec, nodes: [asked("a")], status: RUNNING, nowMs: START_MS + 59_000 }).status.failed).toBe(0);
    expect(plan({ spec, nodes: [asked("a")], status: RUNNING, nowMs: START_MS + 60_000 }).status.failed).toBe(1);
  });

  test("a node that was given up stays failed even if it has the image later", () => {
    const status = { ...RUNNING, failed: 1, failedNodes: ["a"] };
    expect(plan({ nodes: [asked("a", "Succeeded"), asked("b")], status }).status).toMatchObject({ succeeded: 0, failed: 1 });
    const never = { completionPolicy: { type: "Never" } };
    expect(plan({ spec: never, nodes: [asked("a", "Succeeded")], status }).status).toMatchObject({ succeeded: 1, failed: 0 });
  });

  test("a mark counts for a job whose round was followed by another", () => {
    const owners = [ownedBy("pull", "Succeeded"), ownedBy("two")];
    const nodeImage = makeNodeImage("a", [{ tag: "v2", createdAt: START, version: 1, ownerReferences: owners }], []);
    expect(plan({ nodes: [nodeImage], status: RUNNING }).status).toMatchObject({ succeeded: 1, message: "job has completed" });
  });

  test("a node that is asked for 256 images already fails, in words", () => {
    const images = Object.fromEntries(Array.from({ length: 256 }, (_, index) => [`i${index}`, { tags: [{ tag: "x" }] }]));
    const { status, failures } = plan({ nodes: [{ ...makeNodeImage("a"), spec: { images } }], status: RUNNING });
    expect(status.failedNodes).toEqual(["a"]);
    expect(failures[0]?.message).toContain("256 images");
  });

  test("nodes that pull by an older policy are refreshed", () => {
    expect(
      plan({ spec: { pullPolicy: { timeoutSeconds: 10 } }, nodes: [asked("a"), asked("b", "Succeeded")], status: RUNNING }).refresh,
    ).toEqual(["a"]);
  });
});

describe("withRefused()", () => {
  test("nodes that could not be asked have failed", () => {
    const before = plan({ spec: { parallelism: 2 }, nodes: [makeNodeImage("a"), makeNodeImage("b")] });
    expect(withRefused(before, [{ node: "b", message: "too many" }])).toMatchObject({
      status: { active: 1, failed: 1, failedNodes: ["b"] },
      failures: [{ node: "b", message: "too many" }],
    });
    expect(withRefused(before, [])).toBe(before);
  });
});

describe("decideJobWrite()", () => {
  const stored = { desired: 3, active: 1, succeeded: 0, failed: 0, startTime: START, message: "a" };
  for (const { when, before, wanted, pace, want } of [
    {
      when: "the job starts",
      before: undefined,
      wanted: stored,
      pace: { nowMs: 5, lastWriteMs: 4 },
      want: { type: "write", status: stored },
    },
    { when: "nothing differs", before: stored, wanted: stored, pace: { nowMs: 5, lastWriteMs: undefined }, want: { type: "none" } },
    {
      when: "999 ms passed",
      before: stored,
      wanted: { ...stored, succeeded: 1 },
      pace: { nowMs: 1000, lastWriteMs: 1 },
      want: { type: "wait", delayMs: 1 },
    },
    {
      when: "1000 ms passed",
      before: stored,
      wanted: { ...stored, succeeded: 1 },
      pace: { nowMs: 1000, lastWriteMs: 0 },
      want: { type: "write", status: { succeeded: 1, desired: 3 } },
    },
    {
      when: "the job ends",
      before: stored,
      wanted: { ...stored, active: 0, completionTime: START },
      pace: { nowMs: 5, lastWriteMs: 4 },
      want: { type: "write", status: { active: 0, completionTime: START, desired: 3 } },
    },
  ]) {
    test(`decideJobWrite() says ${want.type} when ${when}`, () => {
      expect(decideJobWrite(makeJob({}, before === undefined ? {} : { status: before }), wanted, pace)).toEqual(want);
    });
  }
});

describe("keepForMs()", () => {
  const finished = { status: { desired: 0, completionTime: START } };
  for (const { when, spec, rest, want } of [
    { when: "the job has no time to live", spec: {}, rest: finished, want: undefined },
    { when: "the job runs", spec: { ttlSecondsAfterFinished: 5 }, rest: {}, want: undefined },
    { when: "3 s of 5 are left", spec: { ttlSecondsAfterFinished: 5 }, rest: finished, want: 3_000 },
    { when: "it is over", spec: { ttlSecondsAfterFinished: 1 }, rest: finished, want: 0 },
  ]) {
    test(`keepForMs() is ${want} when ${when}`, () =>
      expect(keepForMs(makeJob({ completionPolicy: spec }, rest), START_MS + 2_000)).toBe(want));
  }
});
