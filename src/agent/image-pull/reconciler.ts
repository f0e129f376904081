import type { NodeImage } from "../../api/node-image.js";
import { NODE_IMAGES } from "../../api/resources.js";
import { decideStatusWrite } from "../../core/image-pull/decide-status-write.js";
import { isBlank, nodeImageStatus } from "../../core/image-pull/node-image-status.js";
import { wantedPulls } from "../../core/image-pull/wanted-pulls.js";
import type { KubeClient } from "../../kube/client.js";
import type { Informer } from "../../kube/informer.js";
import type { Reconciler, ReconcileResult } from "../../kube/reconciler.js";
import type { Clock } from "../../lib/clock.js";
import { failureKind } from "../../lib/failure.js";
import type { Puller } from "./puller.js";

export interface ImagePullReconcilerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly nodeImages: Informer<NodeImage>;
  readonly puller: Puller;
}

/** Keeps the pulls of this node equal to its NodeImage's spec, and the NodeImage's status equal to the pulls. */
export class ImagePullReconciler implements Reconciler {
  readonly #options: ImagePullReconcilerOptions;
  #lastWriteMs: number | undefined;
  #differsSinceMs: number | undefined;

  constructor(options: ImagePullReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { nodeImages, puller, clock } = this.#options;
    const nodeImage = nodeImages.store.get(key);
    if (nodeImage === undefined || nodeImage.metadata.deletionTimestamp !== undefined) {
      puller.sync([]);
      return {};
    }
    puller.sync(wantedPulls(nodeImage));
    if (isBlank(nodeImage)) return {};
    const nowMs = clock.monotonicMs();
    const pace = { nowMs, lastWriteMs: this.#lastWriteMs, differsSinceMs: this.#differsSinceMs };
    const decision = decideStatusWrite(nodeImage, nodeImageStatus(nodeImage, puller.states()), pace);
    this.#differsSinceMs = decision.type === "wait" ? (this.#differsSinceMs ?? nowMs) : undefined;
    if (decision.type === "wait") return { requeueAfterMs: decision.delayMs };
    if (decision.type === "write") await this.#write(nodeImage, decision.body, signal);
    return {};
  }

  async #write(nodeImage: NodeImage, body: unknown, signal: AbortSignal): Promise<void> {
    const { client, clock, nodeImages } = this.#options;
    const target = { name: nodeImage.metadata.name };
    try {
      this.#lastWriteMs = clock.monotonicMs();
      nodeImages.applyWrite(await client.patch<NodeImage>(NODE_IMAGES, { target, type: "merge", subresource: "status", body }, signal));
    } catch (error) {
      if (failureKind(error) !== "missing") throw error; // gone with its node: the watch will say so
    }
  }
}
