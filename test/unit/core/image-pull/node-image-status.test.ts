import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { ImageTagSpec, NodeImage } from "../../../../src/api/node-image.js";
import { decideStatusWrite } from "../../../../src/core/image-pull/decide-status-write.js";
import { isBlank, nodeImageStatus, type PullState } from "../../../../src/core/image-pull/node-image-status.js";
import { pullId, wantedPulls } from "../../../../src/core/image-pull/wanted-pulls.js";
import { applyMergePatch } from "../../../support/merge-patch.js";
import { makeNodeImage } from "../../../support/images.js";

const TIME = "2026-01-01T00:00:00Z";
const V1: ImageTagSpec = { tag: "v1", createdAt: TIME };
const V2: ImageTagSpec = { tag: "v2", createdAt: TIME, version: 3 };
const DONE: PullState = { phase: "Succeeded", startTime: TIME, completionTime: TIME, imageID: "lab.local/app@sha256:1" };

function states(nodeImage: NodeImage, entries: readonly (readonly [ImageTagSpec, PullState])[]): ReadonlyMap<string, PullState> {
  return new Map(entries.map(([spec, state]) => [pullId(nodeImage, "lab.local/app", spec), state]));
}

describe("wantedPulls()", () => {
  test("a tag is wanted until the status tells its end for the same version", () => {
    const statuses = [
      { tag: "v1", phase: "Succeeded", completionTime: TIME },
      { tag: "v2", phase: "Failed", completionTime: TIME, version: 2 },
    ];
    const wanted = wantedPulls(makeNodeImage("node1", [V1, V2], statuses));
    expect(wanted.map(({ spec }) => spec.tag)).toEqual(["v2"]);
  });

  test("a pull that an earlier agent began keeps its start", () => {
    const nodeImage = makeNodeImage("node1", [V1], [{ tag: "v1", phase: "Pulling", startTime: TIME, version: 0 }]);
    expect(wantedPulls(nodeImage)).toMatchObject([{ startTime: TIME, image: "lab.local/app" }]);
  });

  test("what was asked for first comes first", () => {
    const later = { tag: "v0", createdAt: "2026-01-01T00:00:09Z" };
    expect(wantedPulls(makeNodeImage("node1", [later, V1])).map(({ spec }) => spec.tag)).toEqual(["v1", "v0"]);
  });
});

describe("nodeImageStatus()", () => {
  test("it counts phases and writes version 0 as absent", () => {
    const nodeImage = makeNodeImage("node1", [V1, V2]);
    expect(
      nodeImageStatus(
        nodeImage,
        states(nodeImage, [
          [V1, DONE],
          [V2, { phase: "Pulling", startTime: TIME }],
        ]),
      ),
    ).toEqual({
      desired: 2,
      succeeded: 1,
      failed: 0,
      pulling: 1,
      waiting: 0,
      imageStatuses: {
        "lab.local/app": {
          tags: [
            { tag: "v1", ...DONE, progress: 100 },
            { tag: "v2", phase: "Pulling", startTime: TIME, version: 3 },
          ],
        },
      },
    });
  });

  test("tags that are gone leave the status; fields of other writers stay", () => {
    const { metadata } = makeNodeImage("node1");
    const status = { desired: 1, succeeded: 1, firstSyncStatus: { status: "done" }, imageStatuses: { old: { tags: [] } } };
    expect(nodeImageStatus({ metadata, spec: {}, status }, new Map())).toEqual({
      desired: 0,
      succeeded: 0,
      failed: 0,
      pulling: 0,
      waiting: 0,
      firstSyncStatus: { status: "done" },
    });
  });

  test("an end that the status tells already is not taken back by a pull", () => {
    const nodeImage = makeNodeImage("node1", [V1], [{ tag: "v1", phase: "Failed", completionTime: TIME }]);
    const status = nodeImageStatus(nodeImage, states(nodeImage, [[V1, { phase: "Pulling" }]]));
    expect(status.imageStatuses?.["lab.local/app"]?.tags[0]?.phase).toBe("Failed");
  });

  test("isBlank() is true only when nothing is asked for and nothing was ever told", () => {
    expect(isBlank(makeNodeImage("node1"))).toBe(true);
    expect(isBlank(makeNodeImage("node1", [V1]))).toBe(false);
    expect(isBlank({ ...makeNodeImage("node1"), status: { desired: 0 } })).toBe(false);
  });
});

describe("decideStatusWrite()", () => {
  const nodeImage = makeNodeImage("node1", [V1]);
  const pulling = nodeImageStatus(nodeImage, states(nodeImage, [[V1, { phase: "Pulling", startTime: TIME }]]));
  const done = nodeImageStatus(nodeImage, states(nodeImage, [[V1, DONE]]));
  for (const { when, wanted, pace, want } of [
    { when: "progress is new", wanted: pulling, pace: { nowMs: 1000 }, want: { type: "wait", delayMs: 200 } },
    { when: "progress is 1 ms too new", wanted: pulling, pace: { nowMs: 1000, differsSinceMs: 801 }, want: { type: "wait", delayMs: 1 } },
    { when: "progress is old enough", wanted: pulling, pace: { nowMs: 1000, differsSinceMs: 800 }, want: { type: "write" } },
    { when: "a pull has ended", wanted: done, pace: { nowMs: 1000 }, want: { type: "write" } },
    {
      when: "a pull has ended 99 ms after a write",
      wanted: done,
      pace: { nowMs: 1000, lastWriteMs: 901 },
      want: { type: "wait", delayMs: 1 },
    },
    { when: "a pull has ended 100 ms after a write", wanted: done, pace: { nowMs: 1000, lastWriteMs: 900 }, want: { type: "write" } },
  ]) {
    test(`decideStatusWrite() says ${want.type} when ${when}`, () => {
      expect(decideStatusWrite(nodeImage, wanted, { lastWriteMs: undefined, differsSinceMs: undefined, ...pace })).toMatchObject(want);
    });
  }

  test("an equal status is not written", () => {
    expect(decideStatusWrite({ ...nodeImage, status: done }, done, { nowMs: 0, lastWriteMs: undefined, differsSinceMs: 0 })).toEqual({
      type: "none",
    });
  });

  test("the patch turns any stored status into the wanted one", () => {
    const tags = fc.uniqueArray(fc.record({ tag: fc.constantFrom("a", "b", "c"), version: fc.nat({ max: 2 }) }), {
      selector: ({ tag }) => tag,
    });
    const phases = fc.constantFrom<PullState>({ phase: "Waiting" }, { phase: "Pulling", startTime: TIME }, DONE);
    fc.assert(
      fc.property(tags, tags, fc.array(phases, { minLength: 3, maxLength: 3 }), (before, after, pulls) => {
        const stored = makeNodeImage("node1", before);
        const status = nodeImageStatus(
          stored,
          states(
            stored,
            before.map((spec, index) => [spec, pulls[index] ?? DONE]),
          ),
        );
        const now = { ...makeNodeImage("node1", after), status };
        const wanted = nodeImageStatus(
          now,
          states(
            now,
            after.map((spec, index) => [spec, pulls[2 - index] ?? DONE]),
          ),
        );
        const decision = decideStatusWrite(now, wanted, { nowMs: 1e6, lastWriteMs: undefined, differsSinceMs: 0 });
        if (decision.type === "write") expect(applyMergePatch({ status }, decision.body)).toEqual({ status: wanted });
        else expect(status).toEqual(wanted);
      }),
    );
  });
});
