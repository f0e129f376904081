import { Client, type ClientReadableStream, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { systemClock } from "../lib/clock.js";
import { type CriTransport, GRPC_STATUS, type UnaryOptions, WireFailure } from "./wire.js";

/**
 * No keepalive: containerd ends connections for "excess pings", and a dead peer on a unix socket is seen at once.
 * While the socket is gone calls fail within milliseconds; the next try to connect is at most 2 s away.
 */
const CHANNEL_OPTIONS = {
  "grpc.max_receive_message_length": 16 * 1024 * 1024,
  "grpc.initial_reconnect_backoff_ms": 200,
  "grpc.min_reconnect_backoff_ms": 200,
  "grpc.max_reconnect_backoff_ms": 2_000,
  // Else two transports to one path, and a test's next server on it, would share a connection and its back-off.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.default_authority": "localhost",
} as const;

/** The real transport: one HTTP/2 connection over a unix socket. Only this file knows grpc-js. */
export function openGrpcTransport(socketPath: string): CriTransport {
  return new GrpcTransport(new Client(`unix://${socketPath}`, credentials.createInsecure(), CHANNEL_OPTIONS));
}

class GrpcTransport implements CriTransport {
  readonly #client: Client;
  readonly #active = new Set<Call>();
  #isClosed = false;

  constructor(client: Client) {
    this.#client = client;
  }

  unary(path: string, request: Uint8Array, { timeoutMs, signal }: UnaryOptions): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#throwIfUnusable(signal);
      // grpc-js turns the deadline back into a duration at once, by the same clock.
      const deadline = systemClock.nowMs() + timeoutMs;
      const call = this.#client.makeUnaryRequest(path, toBuffer, asIs, request, new Metadata(), { deadline }, (error, reply) => {
        release();
        if (error !== null) reject(toWireFailure(error));
        else resolve(reply ?? new Uint8Array());
      });
      // Rejects now, not when the cancelled call ends; what it ends with is then ignored.
      const release = this.#track(call, signal, reject);
    });
  }

  async *serverStream(path: string, request: Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    this.#throwIfUnusable(signal);
    // No deadline: the stream has no natural end, and a peer that dies ends it at once.
    const call: ClientReadableStream<Uint8Array> = this.#client.makeServerStreamRequest(path, toBuffer, asIs, request);
    const release = this.#track(call, signal);
    try {
      for await (const reply of call) yield reply as Uint8Array;
    } catch (error) {
      signal.throwIfAborted();
      throw toWireFailure(error as ServiceError);
    } finally {
      release();
      call.cancel();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const call of this.#active) call.cancel();
    this.#client.close();
  }

  #throwIfUnusable(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#isClosed) throw new WireFailure(GRPC_STATUS.UNAVAILABLE, "the connection was closed");
  }

  /** Cancels the call when the signal aborts or the transport is closed, until the returned function is called. */
  #track(call: Call, signal: AbortSignal, reject?: (reason: unknown) => void): () => void {
    const cancel = (): void => {
      reject?.(signal.reason);
      call.cancel();
    };
    this.#active.add(call);
    signal.addEventListener("abort", cancel, { once: true });
    return () => {
      this.#active.delete(call);
      signal.removeEventListener("abort", cancel);
    };
  }
}

interface Call {
  cancel(): void;
}

/** What grpc-js says where it could not connect; only the middle helps anybody. */
const NOT_CONNECTED = /^No connection established\. Last error: (?:Error: )?(.*?)\. Resolution note: .*$/s;

function toWireFailure(error: ServiceError): WireFailure {
  return new WireFailure(error.code, error.details.replace(NOT_CONNECTED, "$1"));
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function asIs(bytes: Buffer): Uint8Array {
  return bytes;
}
