import { describe, expect, test } from "@jest/globals";
import type { ImagePullJob } from "../../../../src/api/image-pull-job.js";
import type { ImageTagSpec, ImageTagStatus } from "../../../../src/api/node-image.js";
import { retainedImages } from "../../../../src/core/node-image/retained-images.js";
import { makeJob, makeNodeImage, ownedBy } from "../../../support/images.js";

const T0 = "2026-01-01T00:00:00Z";
const T0_MS = Date.parse(T0);
const ENDED: ImageTagStatus = { tag: "v2", phase: "Succeeded", completionTime: "2026-01-01T00:00:10Z" };
const FINISHED = { status: { desired: 1, completionTime: T0 } };

function tag(rest: Partial<ImageTagSpec> = {}): ImageTagSpec {
  return { tag: "v2", createdAt: T0, ownerReferences: [ownedBy()], pullPolicy: { ttlSecondsAfterFinished: 100 }, ...rest };
}

function retain(spec: ImageTagSpec, status: ImageTagStatus | undefined, jobs: readonly ImagePullJob[], nowMs = T0_MS + 20_000) {
  const jobOf = ({ name }: { name?: string }) => jobs.find((job) => job.metadata.name === name);
  return retainedImages(makeNodeImage("node1", [spec], status === undefined ? [] : [status]), jobOf, nowMs);
}

const GONE = { "lab.local/app": null };

describe("retainedImages()", () => {
  for (const { when, spec, status, jobs, changes } of [
    { when: "its job runs", spec: tag(), status: undefined, jobs: [makeJob()], changes: {} },
    { when: "its job is gone", spec: tag(), status: ENDED, jobs: [], changes: GONE },
    {
      when: "its job is another one of the same name",
      spec: tag({ ownerReferences: [{ ...ownedBy(), uid: "older" }] }),
      status: ENDED,
      jobs: [makeJob()],
      changes: GONE,
    },
    {
      when: "its job is being deleted",
      spec: tag(),
      status: undefined,
      jobs: [makeJob({}, { metadata: { ...makeJob().metadata, deletionTimestamp: T0 } })],
      changes: GONE,
    },
    {
      when: "its job asks for another image by now",
      spec: tag(),
      status: undefined,
      jobs: [makeJob({ image: "lab.local/app:v3" })],
      changes: GONE,
    },
    { when: "its job ended before the pull did", spec: tag(), status: undefined, jobs: [makeJob({}, FINISHED)], changes: GONE },
    {
      when: "its job gave the node up",
      spec: tag(),
      status: undefined,
      jobs: [makeJob({}, { status: { desired: 1, failedNodes: ["node1"] } })],
      changes: GONE,
    },
    {
      when: "its job gave up after the pull's own end",
      spec: tag(),
      status: { ...ENDED, phase: "Failed" },
      jobs: [makeJob({}, { status: { desired: 1, failedNodes: ["node1"] } })],
      changes: {},
    },
    { when: "its job is finished, the time to live is not over", spec: tag(), status: ENDED, jobs: [makeJob({}, FINISHED)], changes: {} },
    { when: "it has no owner at all", spec: { tag: "v2", createdAt: T0 }, status: undefined, jobs: [], changes: {} },
    {
      when: "its owner is of another kind",
      spec: tag({ ownerReferences: [{ kind: "Cron", apiVersion: "x/v1", name: "a" }] }),
      status: undefined,
      jobs: [],
      changes: {},
    },
  ]) {
    test(`a tag ${changes === GONE ? "goes" : "stays"} when ${when}`, () => expect(retain(spec, status, jobs).changes).toEqual(changes));
  }

  test("one owner of two is taken out and the tag stays", () => {
    const spec = tag({ ownerReferences: [ownedBy("gone"), ownedBy()] });
    expect(retain(spec, undefined, [makeJob()]).changes).toEqual({
      "lab.local/app": { tags: [{ ...spec, ownerReferences: [ownedBy()] }] },
    });
  });

  test("the time to live counts from the end of the same version, and says when it is over", () => {
    const jobs = [makeJob({}, FINISHED)];
    const overMs = T0_MS + 110_000;
    expect(retain(tag(), ENDED, jobs)).toEqual({ changes: {}, nextExpiryMs: overMs });
    expect(retain(tag(), ENDED, jobs, overMs - 1).changes).toEqual({});
    expect(retain(tag(), ENDED, jobs, overMs).changes).toEqual(GONE);
    expect(retain(tag({ ownerReferences: [] }), { ...ENDED, version: 2 }, jobs, overMs).changes).toEqual({});
  });

  test("a node whose clock is behind does not shorten the time to live", () => {
    const status = { ...ENDED, completionTime: "2025-01-01T00:00:00Z" };
    expect(retain(tag(), status, [makeJob({}, FINISHED)]).nextExpiryMs).toBe(T0_MS + 100_000);
  });

  test("tags are the memory of a job that waits for all nodes: they outlive their time while it runs, and no longer", () => {
    const lateMs = T0_MS + 3600_000;
    expect(retain(tag(), ENDED, [makeJob()], lateMs)).toEqual({ changes: {}, nextExpiryMs: undefined });
    expect(retain(tag(), ENDED, [makeJob({}, FINISHED)], lateMs).changes).toEqual(GONE);
    expect(retain(tag(), ENDED, [makeJob({ completionPolicy: { type: "Never" } })], lateMs).changes).toEqual(GONE);
  });

  test("an entry that a user wrote by hand gets a creation time", () => {
    expect(retain({ tag: "v2" }, undefined, []).changes).toEqual({
      "lab.local/app": { tags: [{ tag: "v2", createdAt: "2026-01-01T00:00:20Z" }] },
    });
  });
});
