import { describe, expect, test } from "@jest/globals";
import type { ImagePullJobSpec } from "../../../../src/api/image-pull-job.js";
import type { Node, Pod } from "../../../../src/api/pod.js";
import { targetNodes, unknownNames } from "../../../../src/core/image-pull-job/target-nodes.js";
import { makeJob, makeNodeImage } from "../../../support/images.js";

function node(name: string, labels: Record<string, string> = {}): Node {
  return { metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } } };
}

function pod(nodeName: string | undefined, rest: Partial<Pod> = {}): Pod {
  return {
    metadata: { name: "p", namespace: "shop", labels: { app: "web" } },
    spec: { containers: [], ...(nodeName !== undefined && { nodeName }) },
    ...rest,
  };
}

const CANDIDATES = {
  nodes: [node("a"), node("b"), node("new"), node("virtual", { type: "virtual-kubelet" })],
  nodeImages: [makeNodeImage("a"), makeNodeImage("b"), makeNodeImage("fake")],
  pods: [
    pod("b"),
    pod("a", { status: { phase: "Succeeded" } }),
    pod("fake", { metadata: { name: "p", labels: { app: "db" } } }),
    pod(undefined),
    pod("a", { metadata: { name: "p", labels: { app: "web" }, deletionTimestamp: "2026-01-01T00:00:00Z" } }),
  ],
};

describe("targetNodes()", () => {
  for (const { when, spec, want } of [
    { when: "nothing selects", spec: {}, want: ["a", "b", "fake", "new"] },
    { when: "the selector is empty", spec: { selector: {} }, want: ["a", "b", "fake", "new"] },
    { when: "names select", spec: { selector: { names: ["b", "nobody"] } }, want: ["b"] },
    { when: "labels select", spec: { selector: { matchLabels: { "kubernetes.io/hostname": "a" } } }, want: ["a"] },
    {
      when: "labels select a node that has no NodeImage yet",
      spec: { selector: { matchLabels: { "kubernetes.io/hostname": "new" } } },
      want: ["new"],
    },
    { when: "pods select", spec: { podSelector: { matchLabels: { app: "web" } } }, want: ["b"] },
  ] as { when: string; spec: Partial<ImagePullJobSpec>; want: string[] }[]) {
    test(`targetNodes() finds ${want.join(", ")} when ${when}`, () => {
      expect(
        targetNodes(makeJob(spec), CANDIDATES)
          .map(({ name }) => name)
          .sort(),
      ).toEqual(want);
    });
  }

  test("names that no node has are told", () => {
    const job = makeJob({ selector: { names: ["b", "nobody"] } });
    expect(unknownNames(job, targetNodes(job, CANDIDATES))).toEqual(["nobody"]);
  });
});
