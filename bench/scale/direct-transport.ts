import { type CriTransport, WireFailure } from "../../src/cri/wire.js";
import type { RuntimeWorld } from "../../src/sim/runtime/runtime-world.js";
import { byteMethods } from "../../src/sim/runtime/service-bytes.js";
import { noEvents, statusOf } from "../../src/sim/runtime/service-calls.js";

/** The calls of CRI as the bytes they are, without a socket: thousands of runtimes fit into one process. */
export function directTransport(world: RuntimeWorld): CriTransport {
  const methodOf = byteMethods(world);
  return {
    async unary(path, request, { signal }) {
      const method = methodOf(path);
      try {
        return await method.call(request, signal);
      } catch (error) {
        signal.throwIfAborted();
        const { code, details } = statusOf(error);
        throw new WireFailure(code, details);
      }
    },
    // As containerd 1.6: the agent has to look by itself.
    // eslint-disable-next-line require-yield -- it only fails
    async *serverStream() {
      const { code, details } = statusOf(noEvents());
      throw new WireFailure(code, details);
    },
    close: () => undefined,
  };
}
