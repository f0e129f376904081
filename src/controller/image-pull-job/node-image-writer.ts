import type { NodeImage } from "../../api/node-image.js";
import { NODE_IMAGES } from "../../api/resources.js";
import type { KubeClient } from "../../kube/client.js";
import type { Informer } from "../../kube/informer.js";
import { failureKind } from "../../lib/failure.js";

/** Gives the merge patch that a change means for the NodeImage as it is, or undefined when it holds already. */
export type NodeImageChange = (current: NodeImage) => object | undefined;

const MAX_TRIES = 5;

/**
 * Changes NodeImages for many jobs without losing anybody's change: writers of one node take turns, each patch holds only for the version
 * that it was made from, and a conflict (the agent writes the status of the same object) is made good at once from a fresh copy.
 */
export class NodeImageWriter {
  readonly #client: KubeClient;
  readonly #nodeImages: Informer<NodeImage>;
  readonly #turns = new Map<string, Promise<void>>();

  constructor({ client, nodeImages }: { readonly client: KubeClient; readonly nodeImages: Informer<NodeImage> }) {
    this.#client = client;
    this.#nodeImages = nodeImages;
  }

  /** Resolves when the change is in the API server and in the cache; also when the NodeImage is gone. */
  async change(name: string, change: NodeImageChange, signal: AbortSignal): Promise<void> {
    const before = this.#turns.get(name);
    const turn = this.#takeTurn(before, () => this.#write(name, change, signal));
    this.#turns.set(name, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
    }
  }

  async #takeTurn(before: Promise<void> | undefined, write: () => Promise<void>): Promise<void> {
    if (before !== undefined) await before.catch(() => undefined); // its own caller hears of its failure
    await write();
  }

  async #write(name: string, change: NodeImageChange, signal: AbortSignal): Promise<void> {
    let current = this.#nodeImages.store.get(name);
    for (let tries = 1; current !== undefined; tries++) {
      const body = change(current);
      if (body === undefined) return;
      try {
        this.#nodeImages.applyWrite(await this.#client.patch<NodeImage>(NODE_IMAGES, { target: { name }, type: "merge", body }, signal));
        return;
      } catch (error) {
        if (failureKind(error) === "missing") return;
        if (failureKind(error) !== "conflict" || tries >= MAX_TRIES) throw error;
        current = await this.#readFresh(name, signal);
      }
    }
  }

  async #readFresh(name: string, signal: AbortSignal): Promise<NodeImage | undefined> {
    try {
      const fresh = await this.#client.get<NodeImage>(NODE_IMAGES, { name }, signal);
      this.#nodeImages.applyWrite(fresh);
      return fresh;
    } catch (error) {
      if (failureKind(error) === "missing") return undefined;
      throw error;
    }
  }
}
