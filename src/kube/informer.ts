import type { KubeObject } from "../api/meta.js";
import type { Task } from "../lib/tasks.js";
import type { StoreChange, StoreReader } from "./store.js";

/**
 * A kind's cache, kept current by list and watch for as long as it runs; it reports failures and backs off, it never gives up.
 *
 * Read-your-writes: hand every object that a write returned to `applyWrite`; older watch events and lists never undo it.
 */
export interface Informer<T extends KubeObject> extends Task {
  readonly store: StoreReader<T>;
  /** Handlers run after the store was changed, in order of registration; call before `run`. */
  onChange(handler: (change: StoreChange<T>) => void): void;
  /** Puts the answer of our own write into the store at once, if newer than what it holds. Handlers are told as for a watch event. */
  applyWrite(object: T): void;
  /** Takes an object out of the store of which the answer to our own write has said that it is gone; whatever the watch tells late of it is no news. */
  applyMissing(object: T): void;
  /** False while it cannot hear of changes, from a failure until it lists or watches again: what it holds may be seconds old. */
  isFollowing(): boolean;
  /** Resolves after the first complete list. */
  waitForSync(signal: AbortSignal): Promise<void>;
}
