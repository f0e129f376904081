import { describe, expect, test } from "@jest/globals";
import type { NodeImage } from "../../../../src/api/node-image.js";
import type { Node } from "../../../../src/api/pod.js";
import { decideNodeImage } from "../../../../src/core/node-image/decide-node-image.js";
import { makeNodeImage } from "../../../support/images.js";

const LABELS = { "kubernetes.io/hostname": "node1" };
const NODE: Node = { metadata: { name: "node1", labels: LABELS } };

function decide(node: Node | undefined, nodeImage: NodeImage | undefined) {
  return decideNodeImage({ name: "node1", node, nodeImage, jobOf: () => undefined, nowMs: 0 });
}

describe("decideNodeImage()", () => {
  const nodeImage = makeNodeImage("node1");
  const virtual = { metadata: { name: "node1", labels: { type: "virtual-kubelet" } } };
  const fake = { ...nodeImage, metadata: { ...nodeImage.metadata, labels: { "apps.kruise.io/fake-nodeimage": "" } } };
  const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  for (const { when, situation, want } of [
    {
      when: "a node is new",
      situation: [NODE, undefined],
      want: { type: "create", object: { metadata: { name: "node1", labels: LABELS } } },
    },
    { when: "a node is virtual", situation: [virtual, undefined], want: { type: "none" } },
    { when: "a node is going", situation: [{ metadata: { ...NODE.metadata, ...going } }, nodeImage], want: { type: "delete" } },
    { when: "the node is gone", situation: [undefined, nodeImage], want: { type: "delete" } },
    { when: "the node never was, but the NodeImage is a fake", situation: [undefined, fake], want: { type: "none" } },
    { when: "both are there and equal", situation: [NODE, nodeImage], want: { type: "none" } },
    { when: "both are gone", situation: [undefined, undefined], want: { type: "none" } },
    {
      when: "it is being deleted",
      situation: [undefined, { ...nodeImage, metadata: { ...nodeImage.metadata, ...going } }],
      want: { type: "none" },
    },
  ] as const) {
    test(`decideNodeImage() says ${want.type} when ${when}`, () => expect(decide(situation[0], situation[1])).toMatchObject(want));
  }

  test("labels follow the node exactly, in a patch that holds for this version only", () => {
    const node = { metadata: { name: "node1", labels: { zone: "a" } } };
    expect(decide(node, nodeImage)).toEqual({
      type: "patch",
      body: { metadata: { labels: { zone: "a", "kubernetes.io/hostname": null }, resourceVersion: "7" } },
    });
  });

  test("labels and tags go into one patch; the last tag takes the images with it", () => {
    const tag = {
      tag: "v1",
      createdAt: "2026-01-01T00:00:00Z",
      ownerReferences: [{ kind: "ImagePullJob", apiVersion: "apps.kruise.io/v1alpha1", name: "gone" }],
    };
    expect(decide({ metadata: { name: "node1", labels: { ...LABELS, zone: "a" } } }, makeNodeImage("node1", [tag]))).toEqual({
      type: "patch",
      body: { metadata: { labels: { zone: "a" }, resourceVersion: "7" }, spec: { images: null } },
    });
  });
});
