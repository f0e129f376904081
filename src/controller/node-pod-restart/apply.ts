import type { NodePodRestart, PodRestart } from "../../api/node-pod-restart.js";
import type { OwnerReference } from "../../api/meta.js";
import type { Node } from "../../api/pod.js";
import { NODE_POD_RESTARTS } from "../../api/resources.js";
import type { KubeClient } from "../../kube/client.js";
import type { Informer } from "../../kube/informer.js";
import { failureKind } from "../../lib/failure.js";

const LABELS = {
  "app.kubernetes.io/name": "podmend",
  "app.kubernetes.io/component": "agent",
  "app.kubernetes.io/part-of": "podmend",
  "app.kubernetes.io/managed-by": "podmend",
};

/** Writes node objects, and puts each answer into the cache. */
export class NodeObjectWriter {
  readonly #client: KubeClient;
  readonly #informer: Informer<NodePodRestart>;

  constructor(client: KubeClient, informer: Informer<NodePodRestart>) {
    this.#client = client;
    this.#informer = informer;
  }

  /** Makes the node's object, asking for nothing yet; the garbage collector removes it with the node. @returns false if it was there already */
  async create(node: Node, signal: AbortSignal): Promise<boolean> {
    const { name } = node.metadata;
    const object: NodePodRestart = {
      apiVersion: `${NODE_POD_RESTARTS.group}/${NODE_POD_RESTARTS.version}`,
      kind: NODE_POD_RESTARTS.kind,
      metadata: { name, labels: LABELS, ownerReferences: [ownerReference(node)] },
      spec: { podRestarts: [] },
    };
    return this.#orRead(name, signal, () => this.#client.create(NODE_POD_RESTARTS, object, signal));
  }

  /**
   * Replaces what the object asks for, on condition that it is still as `previous`; a conflict only brings the cache up to date.
   *
   * @returns false after a conflict: decide again, since a cache that was up to date already tells nobody
   */
  async write(
    { node, previous, podRestarts }: { node: Node; previous: NodePodRestart; podRestarts: readonly PodRestart[] },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { name, resourceVersion } = previous.metadata;
    const ownerReferences = isOwnedBy(previous, node) ? {} : { ownerReferences: [ownerReference(node)] };
    const body = { metadata: { resourceVersion, ...ownerReferences }, spec: { podRestarts } };
    return this.#orRead(name, signal, () => this.#client.patch(NODE_POD_RESTARTS, { target: { name }, type: "merge", body }, signal));
  }

  // The agent writes the status of the same object, so conflicts are ordinary; waiting for the watch would cost more than a read.
  async #orRead(name: string, signal: AbortSignal, write: () => Promise<NodePodRestart>): Promise<boolean> {
    try {
      this.#informer.applyWrite(await write());
      return true;
    } catch (error) {
      if (failureKind(error) !== "conflict") throw error;
      this.#informer.applyWrite(await this.#client.get<NodePodRestart>(NODE_POD_RESTARTS, { name }, signal));
      return false;
    }
  }
}

/** False for the object of an earlier node of the same name, which the garbage collector is about to remove. */
export function isOwnedBy(object: NodePodRestart, node: Node): boolean {
  return object.metadata.ownerReferences?.some(({ uid }) => uid === node.metadata.uid) === true;
}

function ownerReference({ metadata }: Node): OwnerReference {
  return { apiVersion: "v1", kind: "Node", name: metadata.name, uid: metadata.uid ?? "" };
}
