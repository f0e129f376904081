import { type CriRuntime, openCriRuntime } from "../../src/cri/grpc-runtime.js";
import { type Clock, systemClock } from "../../src/lib/clock.js";
import { silentLogger } from "../../src/lib/logger.js";
import { silentMetrics } from "../../src/lib/metrics.js";
import type { Random } from "../../src/lib/random.js";
import type { RuntimeWorld } from "../../src/sim/runtime/runtime-world.js";
import { type SimRuntime, startRuntime } from "../../src/sim/runtime/runtime-server.js";

/** A model of a runtime on a real socket, and our client connected to it. */
export interface CriFixture extends CriRuntime {
  readonly server: SimRuntime;
  readonly world: RuntimeWorld;
}

/** Starts both; `close()` ends both. The clock and randomness are the model's and the client's. */
export async function startCriFixture(options: { readonly clock?: Clock; readonly random?: Random } = {}): Promise<CriFixture> {
  const server = await startRuntime(options);
  const client = openCriRuntime({
    socketPaths: [server.socketPath],
    clock: options.clock ?? systemClock,
    logger: silentLogger,
    metrics: silentMetrics,
  });
  return {
    ...client,
    server,
    world: server.world,
    close() {
      client.close();
      server.close();
    },
  };
}

/** A signal for calls that nobody cancels. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}
