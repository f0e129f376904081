import type { Node } from "../../api/pod.js";

/** Whether a node gets a NodeImage: it exists, is not going away, and has a runtime of its own. Source: spec/node-agent.md 4.2. */
export function isEligibleNode(node: Node | undefined): node is Node {
  if (node === undefined || node.metadata.deletionTimestamp !== undefined) return false;
  return node.metadata.labels?.["type"] !== "virtual-kubelet";
}
