/**
 * One HTTP exchange with the API server, as bytes. Everything above (framing of events, authentication, retries, failures) is ours and
 * uses ports only, so a simulation can replace this interface and nothing else.
 */
export interface Wire {
  /**
   * Opens a stream and resolves when the answer's headers have arrived.
   *
   * Aborting the signal closes the stream at any time, also while the body is read; the pending call then rejects with `signal.reason`.
   * @throws {WireError} when no connection can be made or it breaks
   */
  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse>;
  /** Closes every connection; streams that are still open break. */
  close(): Promise<void>;
}

export interface WireRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface WireResponse {
  readonly status: number;
  /** Lower-case names; of a header that came twice, all values joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks as they arrive, split anywhere. To be read once, to its end, or left and the signal aborted. Throws WireError when it breaks. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** unreachable: no connection came about. refused: the server did not look at the request. broken: the request's fate is unknown. */
export type WireFailure = "unreachable" | "refused" | "broken";

/** A connection that failed. After `unreachable` and `refused` any request may be sent again; after `broken` only a harmless one. */
export class WireError extends Error {
  readonly failure: WireFailure;

  constructor(failure: WireFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "WireError";
    this.failure = failure;
  }
}
