/** What a reconcile wants next. */
export interface ReconcileResult {
  /** Come back after this long even if nothing changes. Units: milliseconds. */
  readonly requeueAfterMs?: number;
}

/** Brings one object nearer to what its spec asks; idempotent, level-triggered, safe to call at any time. */
export interface Reconciler {
  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult>;
}

/** The side of a work queue that event handlers see. A key is queued once and never processed twice at a time. */
export interface KeyQueue {
  add(key: string): void;
  /** Adds the key after a delay; an earlier pending delay of the key stays. */
  addAfter(key: string, delayMs: number): void;
}
