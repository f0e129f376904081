/**
 * The bytes between us and the runtime. Everything above it is ours and pure of sockets; a simulation replaces this and
 * nothing else.
 */
export interface CriTransport {
  /**
   * One request, one reply.
   *
   * @throws {WireFailure} for every status but OK, including an expired deadline; `signal.reason` when aborted
   */
  unary(path: string, request: Uint8Array, options: UnaryOptions): Promise<Uint8Array>;
  /** One request, replies until the other side ends. Leaving the loop cancels the call. Same failures, thrown by the loop. */
  serverStream(path: string, request: Uint8Array, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Lets go of the connection; later calls fail. */
  close(): void;
}

export interface UnaryOptions {
  /** From now until the call is given up, on this side and, as it is sent along, on the other. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Opens a transport to one socket; does no I/O before the first call. */
export type OpenTransport = (socketPath: string) => CriTransport;

/** A call that ended with a gRPC status other than OK. Never leaves cri: failures.ts makes an OperationError of it. */
export class WireFailure extends Error {
  readonly status: number;

  constructor(status: number, details: string) {
    super(details);
    this.name = "WireFailure";
    this.status = status;
  }
}

/** The numbers of gRPC that code here has to name. */
export const GRPC_STATUS = { NOT_FOUND: 5, UNAVAILABLE: 14, INTERNAL: 13 } as const;
