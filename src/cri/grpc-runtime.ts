import type { Clock } from "../lib/clock.js";
import type { Logger } from "../lib/logger.js";
import type { Metrics } from "../lib/metrics.js";
import { createCriCalls } from "./calls.js";
import { criCodec } from "./codec.js";
import { createContainerRuntime } from "./container-runtime.js";
import { openGrpcTransport } from "./grpc-transport.js";
import { createImageRuntime } from "./image-runtime.js";
import type { ContainerRuntime, ImageRuntime } from "./runtime.js";
import { SelectingTransport } from "./selecting-transport.js";
import type { OpenTransport } from "./wire.js";

const PROBE_TIMEOUT_MS = 2_000;

/** What `openCriRuntime` needs. */
export interface CriRuntimeOptions {
  /** Absolute paths of sockets, best first, at least one (sockets.ts). With several, the first that answers is used. */
  readonly socketPaths: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Replaces the real sockets, for a simulation. */
  readonly openTransport?: OpenTransport;
}

/** Both sides of the node's runtime, over one connection. */
export interface CriRuntime {
  readonly runtime: ContainerRuntime;
  readonly images: ImageRuntime;
  /** Cancels what is under way and lets go of the connection. */
  close(): void;
}

/**
 * The node's container runtime. Connects at the first call; a runtime that is absent, restarts or comes later is found again
 * without any help, within 2.5 s, while calls fail with CRI_UNAVAILABLE.
 */
export function openCriRuntime(options: CriRuntimeOptions): CriRuntime {
  const { socketPaths, clock, logger, metrics } = options;
  const codec = criCodec();
  const transport = new SelectingTransport({
    socketPaths,
    clock,
    logger,
    openTransport: options.openTransport ?? openGrpcTransport,
    async probe(candidate, signal) {
      const { path, encode } = codec("Version");
      await candidate.unary(path, encode({}), { timeoutMs: PROBE_TIMEOUT_MS, signal });
    },
  });
  const calls = createCriCalls({ transport, codec, clock, metrics });
  return { runtime: createContainerRuntime(calls), images: createImageRuntime(calls), close: () => transport.close() };
}
