import type { ImagePullJob } from "../../api/image-pull-job.js";
import type { StringMap } from "../../api/meta.js";
import type { NodeImage } from "../../api/node-image.js";
import type { Node, Pod } from "../../api/pod.js";
import { isEligibleNode } from "../node-image/eligible-node.js";
import { matchesSelector } from "../values/label-selector.js";

/** A node that a job is for. */
export interface JobNode {
  readonly name: string;
  /** Undefined while a new node has none yet. */
  readonly nodeImage: NodeImage | undefined;
}

/** What there is to choose from. */
export interface Candidates {
  readonly nodes: readonly Node[];
  readonly nodeImages: readonly NodeImage[];
  /** Pods of the job's namespace; only read for a job with a pod selector. */
  readonly pods: readonly Pod[];
}

/**
 * The nodes that a job is for, in no order: those with a NodeImage, and new ones that will get theirs in a moment.
 * Source: spec/node-agent.md 4.7.
 */
export function targetNodes(job: ImagePullJob, candidates: Candidates): readonly JobNode[] {
  const isChosen = choice(job, candidates.pods);
  const targets = new Map<string, JobNode>();
  for (const nodeImage of candidates.nodeImages) {
    const { name, labels, deletionTimestamp } = nodeImage.metadata;
    if (deletionTimestamp === undefined && isChosen(name, labels)) targets.set(name, { name, nodeImage });
  }
  for (const node of candidates.nodes) {
    const { name, labels } = node.metadata;
    if (!targets.has(name) && isEligibleNode(node) && isChosen(name, labels)) targets.set(name, { name, nodeImage: undefined });
  }
  return [...targets.values()];
}

/** Names that the job's selector lists and that no node has. */
export function unknownNames(job: ImagePullJob, targets: readonly JobNode[]): readonly string[] {
  const known = new Set(targets.map(({ name }) => name));
  return (job.spec.selector?.names ?? []).filter((name) => !known.has(name));
}

/** Whether a pod counts for a job with a pod selector: bound to a node and not finished or going. */
export function isActivePod(pod: Pod): boolean {
  const { phase } = pod.status ?? {};
  if (pod.spec.nodeName === undefined || pod.metadata.deletionTimestamp !== undefined) return false;
  return phase !== "Succeeded" && phase !== "Failed";
}

function choice(
  { spec: { selector, podSelector } }: ImagePullJob,
  pods: readonly Pod[],
): (name: string, labels: StringMap | undefined) => boolean {
  if (podSelector !== undefined) {
    const chosen = pods.filter((pod) => isActivePod(pod) && matchesSelector(podSelector, pod.metadata.labels));
    const names = new Set(chosen.map((pod) => pod.spec.nodeName));
    return (name) => names.has(name);
  }
  if (selector === undefined) return () => true;
  if (selector.names !== undefined && selector.names.length > 0) {
    const names = new Set(selector.names);
    return (name) => names.has(name);
  }
  return (_name, labels) => matchesSelector(selector, labels);
}
