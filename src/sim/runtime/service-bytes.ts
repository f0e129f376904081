import type { MethodDefinition } from "@grpc/proto-loader";
import type { RuntimeWorld } from "./runtime-world.js";
import { serviceCalls } from "./service-calls.js";
import { methodsByPath } from "./service-definitions.js";

/** One method of a model of the runtime as a client without a socket sees it: bytes in, bytes out. */
export interface ByteMethod {
  readonly name: string;
  /** The message in a request. */
  read(request: Uint8Array): object;
  /** Throws what the service call throws (service-calls.ts). */
  call(request: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
}

const IDENTITY = { runtimeName: "containerd", runtimeVersion: "v2.0.0-sim" };

let shared: ReturnType<typeof methodsByPath> | undefined;

/** The methods of one node's model by their path, such as `/runtime.v1.RuntimeService/Version`. @throws for a path that the model does not know */
export function byteMethods(world: RuntimeWorld): (path: string) => ByteMethod {
  const calls = serviceCalls(world, IDENTITY);
  shared ??= methodsByPath();
  const methods = shared;
  return (path) => {
    const method = methods.get(path);
    const serve = calls.get(method?.name ?? "");
    if (method === undefined || serve === undefined) throw new Error(`Cannot call "${path}": the model does not know it`);
    const { name, definition } = method;
    const read = (request: Uint8Array): object => messageIn(definition, request);
    return { name, read, call: async (request, signal) => definition.responseSerialize(await serve(read(request), signal)) };
  };
}

function messageIn(definition: MethodDefinition<object, object>, { buffer, byteOffset, byteLength }: Uint8Array): object {
  return definition.requestDeserialize(Buffer.from(buffer, byteOffset, byteLength));
}
