import { describe, expect, test } from "@jest/globals";
import type { ImageTagSpec, ImageTagStatus } from "../../../../src/api/node-image.js";
import { assignTag, refreshTag, type TagRequest } from "../../../../src/core/image-pull-job/assign-tag.js";
import { jobSettings } from "../../../../src/core/image-pull-job/job-settings.js";
import { tagPullPolicy } from "../../../../src/core/image-pull-job/tag-policy.js";
import { makeJob, makeNodeImage, ownedBy } from "../../../support/images.js";

const NOW = "2026-01-01T01:00:00Z";
const BEFORE = "2026-01-01T00:00:00Z";

function request(rest: Partial<TagRequest> = {}): TagRequest {
  return {
    owner: ownedBy("two"),
    image: "lab.local/app",
    tag: "v2",
    imagePullPolicy: "IfNotPresent",
    pullPolicy: { timeoutSeconds: 600, backoffLimit: 3, ttlSecondsAfterFinished: 900 },
    sandboxConfig: undefined,
    createdAt: NOW,
    isDone: () => false,
    ...rest,
  };
}

function existing(rest: Partial<ImageTagSpec> = {}): ImageTagSpec {
  const pullPolicy = { timeoutSeconds: 30, backoffLimit: 5, ttlSecondsAfterFinished: 400, activeDeadlineSeconds: 50 };
  return { tag: "v2", createdAt: BEFORE, imagePullPolicy: "IfNotPresent", ownerReferences: [ownedBy("one")], pullPolicy, ...rest };
}

function assign(tags: readonly ImageTagSpec[], statuses: readonly ImageTagStatus[], rest: Partial<TagRequest> = {}) {
  return assignTag(makeNodeImage("node1", tags, statuses), request(rest))?.spec.images["lab.local/app"];
}

const SUCCEEDED: ImageTagStatus = { tag: "v2", phase: "Succeeded", completionTime: BEFORE };

describe("assignTag()", () => {
  test("a new tag has no version, and takes its place among the others", () => {
    expect(assign([{ tag: "v1" }, { tag: "v3" }], [])?.tags?.map(({ tag, version }) => [tag, version])).toEqual([
      ["v1", undefined],
      ["v2", undefined],
      ["v3", undefined],
    ]);
  });

  test("the patch holds for the version that it was made from", () => {
    expect(assignTag(makeNodeImage("node1"), request())?.metadata).toEqual({ resourceVersion: "7" });
  });

  test("a tag whose status is still there gets the version after it", () => {
    expect(assign([], [{ ...SUCCEEDED, version: 4 }])?.tags).toMatchObject([{ tag: "v2", version: 5 }]);
    expect(assign([], [SUCCEEDED])?.tags).toMatchObject([{ tag: "v2", version: 1 }]);
  });

  test("a finished tag begins a new round by the new job's policy, and its owner keeps the end", () => {
    expect(assign([existing()], [SUCCEEDED])?.tags).toEqual([
      {
        tag: "v2",
        createdAt: NOW,
        imagePullPolicy: "IfNotPresent",
        version: 1,
        ownerReferences: [ownedBy("one", "Succeeded"), ownedBy("two")],
        pullPolicy: request().pullPolicy,
      },
    ]);
  });

  test("a job that is content with any copy joins a pull in progress, and neither gets less than it asked for", () => {
    expect(assign([existing()], [{ tag: "v2", phase: "Pulling" }])?.tags).toEqual([
      {
        ...existing(),
        ownerReferences: [ownedBy("one"), ownedBy("two")],
        pullPolicy: { timeoutSeconds: 600, backoffLimit: 5, ttlSecondsAfterFinished: 900 },
      },
    ]);
  });

  test("a job that wants a fresh copy begins a new round for all", () => {
    expect(assign([existing({ version: 2 })], [], { imagePullPolicy: "Always" })?.tags).toMatchObject([
      { version: 3, createdAt: NOW, imagePullPolicy: "Always", ownerReferences: [ownedBy("one"), ownedBy("two")] },
    ]);
  });

  test("a new round takes owners out that are done", () => {
    const isDone = ({ name }: { name?: string }) => name === "one";
    const owners = (statuses: readonly ImageTagStatus[]) => assign([existing()], statuses, { isDone })?.tags?.[0]?.ownerReferences;
    expect(owners([SUCCEEDED])).toEqual([ownedBy("two")]);
    expect(owners([])).toEqual([ownedBy("two")]);
  });

  test("asking twice changes nothing", () => {
    expect(assign([existing({ ownerReferences: [ownedBy("two")] })], [])).toBeUndefined();
  });

  test("a sandbox configuration goes to the image", () => {
    expect(assign([], [], { sandboxConfig: { labels: { a: "b" } } })?.sandboxConfig).toEqual({ labels: { a: "b" } });
  });
});

describe("refreshTag()", () => {
  const mine = existing({ ownerReferences: [ownedBy("two")] });
  test("an edited policy reaches a pull in progress and keeps its time to live", () => {
    const patch = refreshTag(makeNodeImage("node1", [mine]), request());
    expect(patch?.spec.images["lab.local/app"]?.tags).toMatchObject([
      { createdAt: BEFORE, pullPolicy: { timeoutSeconds: 600, backoffLimit: 3, ttlSecondsAfterFinished: 400 } },
    ]);
  });

  for (const [when, tags, statuses] of [
    ["the pull has ended", [mine], [SUCCEEDED]],
    ["the tag has another owner too", [existing({ ownerReferences: [ownedBy("two"), ownedBy("one")] })], []],
    ["the policy is the same", [existing({ ownerReferences: [ownedBy("two")], pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 } })], []],
  ] as const) {
    test(`nothing is refreshed when ${when}`, () => expect(refreshTag(makeNodeImage("node1", tags, statuses), request())).toBeUndefined());
  }
});

describe("tagPullPolicy()", () => {
  function policy(spec: Parameters<typeof makeJob>[0], spread = 0) {
    const settings = jobSettings(makeJob(spec).spec);
    if (settings === undefined) throw new Error("no settings");
    return tagPullPolicy(settings, spread);
  }

  for (const { spec, spread, want } of [
    {
      spec: { completionPolicy: { ttlSecondsAfterFinished: 5, activeDeadlineSeconds: 600 } },
      spread: 0,
      want: { ttlSecondsAfterFinished: 305, activeDeadlineSeconds: 600 },
    },
    { spec: { completionPolicy: { ttlSecondsAfterFinished: 5 } }, spread: 0.999, want: { ttlSecondsAfterFinished: 604 } },
    { spec: { completionPolicy: { activeDeadlineSeconds: 60 } }, spread: 0, want: { ttlSecondsAfterFinished: 360 } },
    {
      spec: { pullPolicy: { timeoutSeconds: 10, backoffLimit: 2 } },
      spread: 0,
      want: { ttlSecondsAfterFinished: 320, timeoutSeconds: 10, backoffLimit: 2 },
    },
    { spec: { completionPolicy: { type: "Never" } }, spread: 0.5, want: { ttlSecondsAfterFinished: 86_400, activeDeadlineSeconds: 2490 } },
    {
      spec: { completionPolicy: { type: "Never" }, pullPolicy: { timeoutSeconds: 10, backoffLimit: 1 } },
      spread: 0,
      want: { ttlSecondsAfterFinished: 85_800, activeDeadlineSeconds: 1800 },
    },
  ]) {
    test(`tagPullPolicy() of ${JSON.stringify(spec)}`, () => expect(policy(spec, spread)).toMatchObject(want));
  }
});
