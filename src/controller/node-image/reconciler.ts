import type { ImagePullJob } from "../../api/image-pull-job.js";
import type { ObjectReference } from "../../api/meta.js";
import type { NodeImage } from "../../api/node-image.js";
import type { Node } from "../../api/pod.js";
import { NODE_IMAGES } from "../../api/resources.js";
import { decideNodeImage, type NodeImageDecision } from "../../core/node-image/decide-node-image.js";
import type { KubeClient } from "../../kube/client.js";
import { isAlreadyExists } from "../../kube/failures.js";
import type { Informer } from "../../kube/informer.js";
import type { Reconciler, ReconcileResult } from "../../kube/reconciler.js";
import type { Clock } from "../../lib/clock.js";
import { failureKind } from "../../lib/failure.js";
import type { Logger } from "../../lib/logger.js";
import { jobKeyOf } from "./indexers.js";

export interface NodeImageReconcilerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly nodes: Informer<Node>;
  readonly nodeImages: Informer<NodeImage>;
  readonly imagePullJobs: Informer<ImagePullJob>;
}

/** Keeps one NodeImage (the key is the node's name) in step with its node and with the jobs that own its tags. */
export class NodeImageReconciler implements Reconciler {
  readonly #options: NodeImageReconcilerOptions;

  constructor(options: NodeImageReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, nodes, nodeImages } = this.#options;
    const nodeImage = nodeImages.store.get(key);
    const jobOf = (owner: ObjectReference) => this.#jobOf(owner);
    const decision = decideNodeImage({ name: key, node: nodes.store.get(key), nodeImage, jobOf, nowMs: clock.nowMs() });
    if (decision.type === "none") return decision.requeueAfterMs === undefined ? {} : { requeueAfterMs: decision.requeueAfterMs };
    await this.#apply(decision, { name: key, uid: nodeImage?.metadata.uid }, signal);
    return {};
  }

  #jobOf(owner: ObjectReference): ImagePullJob | undefined {
    const key = jobKeyOf(owner);
    return key === undefined ? undefined : this.#options.imagePullJobs.store.get(key);
  }

  async #apply(
    decision: Exclude<NodeImageDecision, { type: "none" }>,
    { name, uid }: { readonly name: string; readonly uid: string | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const { client, nodeImages, logger } = this.#options;
    try {
      if (decision.type === "create") {
        nodeImages.applyWrite(await client.create(NODE_IMAGES, decision.object, signal));
        logger.info("NodeImage is created", { node: name });
      } else if (decision.type === "delete") {
        await client.delete(NODE_IMAGES, { target: { name }, options: uid === undefined ? {} : { uid } }, signal);
        logger.info("NodeImage is deleted", { node: name });
      } else {
        nodeImages.applyWrite(await client.patch<NodeImage>(NODE_IMAGES, { target: { name }, type: "merge", body: decision.body }, signal));
      }
    } catch (error) {
      if (!isOvertaken(decision, error)) throw error;
    }
  }
}

// The cache will hear of it: gone already, or made by somebody else.
function isOvertaken(decision: NodeImageDecision, error: unknown): boolean {
  if (decision.type === "create") return isAlreadyExists(error);
  return failureKind(error) === "missing";
}
