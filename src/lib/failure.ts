/**
 * What a failure asks of the control loop; nothing else decides about retries.
 *
 * transient: back off and retry. conflict: read again and retry soon. missing: the reconciler interprets it.
 * invalid: do not retry until the object changes. denied: slow retry, not ready. unsupported: switch the feature off.
 */
export type FailureKind = "transient" | "conflict" | "missing" | "invalid" | "denied" | "unsupported";

/** What an adapter knows beside the message. */
export interface FailureDetails {
  readonly cause?: unknown;
  /** How long the other side asked us to wait before the next try. */
  readonly retryAfterMs?: number;
  /** The other side's own word for the failure, such as a Kubernetes Status reason. */
  readonly reason?: string;
}

/**
 * A failed operation on something outside this process. Made only by the adapters in `kube` and `cri`.
 *
 * The code is stable and listed in docs/errors.md, for example `CRI_UNAVAILABLE` or `KUBE_CONFLICT`.
 */
export class OperationError extends Error {
  readonly kind: FailureKind;
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  readonly reason: string | undefined;

  // eslint-disable-next-line max-params -- the shape of Error(message, options) with our two words before it
  constructor(kind: FailureKind, code: string, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "OperationError";
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = details.retryAfterMs;
    this.reason = details.reason;
  }
}

/** The kind of a failure, or undefined for anything an adapter did not make: a bug or a cancellation. */
export function failureKind(error: unknown): FailureKind | undefined {
  return error instanceof OperationError ? error.kind : undefined;
}

/** The message of anything that can be thrown. */
export function failureMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
