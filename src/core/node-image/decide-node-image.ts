import { FAKE_NODE_IMAGE } from "../../api/names.js";
import type { NodeImage } from "../../api/node-image.js";
import type { Node } from "../../api/pod.js";
import { createMergePatch } from "../values/merge-patch.js";
import { isEligibleNode } from "./eligible-node.js";
import { type JobLookup, retainedImages } from "./retained-images.js";

export interface NodeImageSituation {
  readonly name: string;
  readonly node: Node | undefined;
  readonly nodeImage: NodeImage | undefined;
  readonly jobOf: JobLookup;
  readonly nowMs: number;
}

export type NodeImageDecision =
  | { readonly type: "none"; readonly requeueAfterMs?: number }
  | { readonly type: "create"; readonly object: NodeImage }
  | { readonly type: "delete" }
  | { readonly type: "patch"; readonly body: Readonly<Record<string, unknown>> };

/**
 * Keeps one NodeImage in step with its node: it exists and has the node's labels for as long as the node exists, and its spec holds no tag
 * that nobody needs. A NodeImage with the label `apps.kruise.io/fake-nodeimage` needs no node. Call again after a patch.
 * Source: spec/node-agent.md 4.2.
 */
export function decideNodeImage(situation: NodeImageSituation): NodeImageDecision {
  const { name, node, nodeImage } = situation;
  if (nodeImage === undefined) return isEligibleNode(node) ? { type: "create", object: newNodeImage(name, node) } : { type: "none" };
  if (nodeImage.metadata.deletionTimestamp !== undefined) return { type: "none" };
  if (nodeImage.metadata.labels?.[FAKE_NODE_IMAGE] !== undefined) return tidied(nodeImage, {}, situation);
  return isEligibleNode(node) ? tidied(nodeImage, labelPatch(nodeImage, node), situation) : { type: "delete" };
}

function tidied(nodeImage: NodeImage, labels: Readonly<Record<string, unknown>>, situation: NodeImageSituation): NodeImageDecision {
  const { changes, nextExpiryMs } = retainedImages(nodeImage, situation.jobOf, situation.nowMs);
  if (Object.keys(changes).length + Object.keys(labels).length === 0) {
    return { type: "none", ...(nextExpiryMs !== undefined && { requeueAfterMs: nextExpiryMs - situation.nowMs }) };
  }
  const metadata = { ...(Object.keys(labels).length > 0 && { labels }), resourceVersion: nodeImage.metadata.resourceVersion };
  return { type: "patch", body: { metadata, ...specPatch(nodeImage, changes) } };
}

function newNodeImage(name: string, node: Node): NodeImage {
  const labels = node.metadata.labels;
  return { apiVersion: "apps.kruise.io/v1beta1", kind: "NodeImage", metadata: { name, ...(labels && { labels }) }, spec: {} };
}

function specPatch(nodeImage: NodeImage, changes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (Object.keys(changes).length === 0) return {};
  const remaining = Object.keys(nodeImage.spec?.images ?? {}).filter((image) => changes[image] !== null);
  return { spec: { images: remaining.length === 0 ? null : changes } };
}

function labelPatch(nodeImage: NodeImage, node: Node): Readonly<Record<string, unknown>> {
  return createMergePatch(nodeImage.metadata.labels ?? {}, node.metadata.labels ?? {}) as Readonly<Record<string, unknown>>;
}
