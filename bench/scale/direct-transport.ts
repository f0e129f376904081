import { type CriTransport, WireFailure } from "../../src/cri/wire.js";
import type { RuntimeWorld } from "../../src/sim/runtime/runtime-world.js";
import { noEvents, serviceCalls, statusOf } from "../../src/sim/runtime/service-calls.js";
import { methodsByPath } from "../../src/sim/runtime/service-definitions.js";

const IDENTITY = { runtimeName: "containerd", runtimeVersion: "v2.0.0-sim" };
const METHODS = methodsByPath();

/** The calls of CRI as the bytes they are, without a socket: thousands of runtimes fit into one process. */
export function directTransport(world: RuntimeWorld): CriTransport {
  const calls = serviceCalls(world, IDENTITY);
  return {
    async unary(path, request, { signal }) {
      const method = METHODS.get(path);
      const serve = calls.get(method?.name ?? "");
      if (method === undefined || serve === undefined) throw new Error(`Cannot call "${path}": the model does not know it`);
      try {
        const { requestDeserialize, responseSerialize } = method.definition;
        return responseSerialize(
          await serve(requestDeserialize(Buffer.from(request.buffer, request.byteOffset, request.byteLength)), signal),
        );
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
