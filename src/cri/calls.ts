import type { Clock } from "../lib/clock.js";
import { OperationError } from "../lib/failure.js";
import type { Metrics } from "../lib/metrics.js";
import type { CriCodec, CriMethod, CriMethods, CriStreamMethod, CriUnaryMethod, MethodCodec } from "./codec.js";
import { type CallSubject, fromCallFailure } from "./failures.js";
import { type CriTransport, GRPC_STATUS, WireFailure } from "./wire.js";

/** Beside the request: what it is about, how long it may take, and who may cancel it. */
export interface CallOptions extends CallSubject {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Calls in the words of the descriptor; failures are OperationErrors or the signal's reason. */
export interface CriCalls {
  unary<M extends CriUnaryMethod>(method: M, request: CriMethods[M]["request"], options: CallOptions): Promise<CriMethods[M]["response"]>;
  stream<M extends CriStreamMethod>(
    method: M,
    request: CriMethods[M]["request"],
    options: Omit<CallOptions, "timeoutMs">,
  ): AsyncIterable<CriMethods[M]["response"]>;
}

export interface CriCallsDependencies {
  readonly transport: CriTransport;
  readonly codec: CriCodec;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Puts codec, transport, failures and metrics together. */
export function createCriCalls({ transport, codec, clock, metrics }: CriCallsDependencies): CriCalls {
  const durations = metrics.histogram({
    name: "podmend_cri_call_duration_seconds",
    help: "How long calls to the container runtime took, failed ones included",
    labels: ["method"],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
  });
  const failures = metrics.counter({
    name: "podmend_cri_call_failures_total",
    help: "Calls to the container runtime that failed, by the failure's code",
    labels: ["method", "code"],
  });
  function mapped(method: CriMethod, subject: CallSubject, cause: unknown): unknown {
    const failure = fromCallFailure(subject, cause);
    if (failure instanceof OperationError) failures.increment({ method, code: failure.code });
    return failure;
  }
  return {
    async unary(method, request, options) {
      const { path, encode, decode } = codec(method);
      const startedMs = clock.monotonicMs();
      try {
        return decodeReply(decode, await transport.unary(path, encode(request), options));
      } catch (cause) {
        throw mapped(method, options, cause);
      } finally {
        durations.observe((clock.monotonicMs() - startedMs) / 1000, { method });
      }
    },
    async *stream(method, request, options) {
      const { path, encode, decode } = codec(method);
      try {
        for await (const reply of transport.serverStream(path, encode(request), options.signal)) yield decodeReply(decode, reply);
      } catch (cause) {
        throw mapped(method, options, cause);
      }
    },
  };
}

function decodeReply<M extends CriMethod>(decode: MethodCodec<M>["decode"], reply: Uint8Array): CriMethods[M]["response"] {
  try {
    return decode(reply);
  } catch (error) {
    throw new WireFailure(GRPC_STATUS.INTERNAL, `the reply is malformed: ${String(error)}`);
  }
}
