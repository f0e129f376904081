import { describe, expect, test } from "@jest/globals";
import type { ImagePullJob, ImagePullJobStatus } from "../../../../src/api/image-pull-job.js";
import type { NodeImage } from "../../../../src/api/node-image.js";
import type { Node, Pod } from "../../../../src/api/pod.js";
import { connectSources } from "../../../../src/controller/image-pull-job/sources.js";
import { createStubInformer } from "../../../support/controller-stub.js";
import { makeJob, makeNodeImage, ownedBy } from "../../../support/images.js";

const TAG = { tag: "v2", ownerReferences: [ownedBy("one")] };

/** When the job is looked at again after a node got further. */
function delaysOf(status: ImagePullJobStatus | undefined): readonly number[] {
  const [imagePullJobs, nodeImages] = [createStubInformer<ImagePullJob>(), createStubInformer<NodeImage>()];
  imagePullJobs.set(makeJob({}, { ...(status && { status }) }, "one"));
  nodeImages.set(makeNodeImage("node1", [TAG]));
  const delays: number[] = [];
  const queue = { add: () => undefined, addAfter: (_key: string, delayMs: number) => void delays.push(delayMs) };
  connectSources(queue, { imagePullJobs, nodeImages, nodes: createStubInformer<Node>(), pods: createStubInformer<Pod>() });
  nodeImages.set(makeNodeImage("node1", [TAG], [{ tag: "v2", phase: "Pulling" }]));
  return delays;
}

describe("connectSources()", () => {
  test.each<{ readonly what: string; readonly status: ImagePullJobStatus | undefined; readonly delayMs: number }>([
    { what: "at once for a job without a status", status: undefined, delayMs: 0 },
    { what: "at once for a job of few nodes", status: { desired: 9, active: 9 }, delayMs: 0 },
    { what: "soon for one whose next nodes wait to be asked", status: { desired: 5_000, active: 4_000, succeeded: 999 }, delayMs: 100 },
    { what: "later for one that only counts", status: { desired: 5_000, active: 4_000, succeeded: 990, failed: 10 }, delayMs: 500 },
  ])("looks at a job again $what", ({ status, delayMs }) => {
    expect(delaysOf(status)).toEqual([delayMs]);
  });
});
