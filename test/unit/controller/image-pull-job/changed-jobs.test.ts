import { describe, expect, test } from "@jest/globals";
import { changedJobKeys } from "../../../../src/controller/image-pull-job/changed-jobs.js";
import { nodeImageIndexers } from "../../../../src/controller/node-image/indexers.js";
import { makeNodeImage, ownedBy } from "../../../support/images.js";

const TAG = { tag: "v2", ownerReferences: [ownedBy("one"), { kind: "Other", apiVersion: "x/v1", name: "o", namespace: "shop" }] };
const OTHER = { tag: "v3", ownerReferences: [ownedBy("two")] };
const ASKED = makeNodeImage("node1", [TAG, OTHER]);

describe("changedJobKeys()", () => {
  for (const { when, before, after, want } of [
    { when: "nothing differs", before: ASKED, after: makeNodeImage("node1", [TAG, OTHER]), want: [] },
    { when: "a tag is new", before: makeNodeImage("node1", [OTHER]), after: ASKED, want: ["shop/one"] },
    { when: "a tag is gone", before: ASKED, after: makeNodeImage("node1", [TAG]), want: ["shop/two"] },
    {
      when: "a phase differs",
      before: ASKED,
      after: makeNodeImage("node1", [TAG, OTHER], [{ tag: "v3", phase: "Pulling" }]),
      want: ["shop/two"],
    },
    { when: "a round is new", before: ASKED, after: makeNodeImage("node1", [{ ...TAG, version: 1 }, OTHER]), want: ["shop/one"] },
    {
      when: "the status is about an older round",
      before: ASKED,
      after: makeNodeImage("node1", [TAG, OTHER], [{ tag: "v3", phase: "Failed", version: 7 }]),
      want: [],
    },
    { when: "the NodeImage is gone", before: ASKED, after: undefined, want: ["shop/one", "shop/two"] },
  ]) {
    test(`changedJobKeys() gives [${want.join()}] when ${when}`, () => {
      expect([...changedJobKeys({ key: "node1", ...(before && { before }), ...(after && { after }) })]).toEqual(want);
    });
  }
});

describe("nodeImageIndexers", () => {
  test("a NodeImage is found by every job that owns a tag", () => {
    expect(nodeImageIndexers["job"]?.(ASKED)).toEqual(["shop/one", "shop/two"]);
  });
});
