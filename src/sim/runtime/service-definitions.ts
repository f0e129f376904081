import { fromJSON, type MethodDefinition, type ServiceDefinition } from "@grpc/proto-loader";
import { RUNTIME_DESCRIPTOR } from "./gen/runtime-proto.js";
import { SANDBOXES_DESCRIPTOR } from "./gen/sandboxes-proto.js";

const LOADER_OPTIONS = { longs: String, enums: String, defaults: true } as const;

/** The services of CRI, each with the agent's half of its methods and the kubelet's. Builds them anew: about 20 ms. */
export function serviceDefinitions(): readonly ServiceDefinition[] {
  const halves = [RUNTIME_DESCRIPTOR, SANDBOXES_DESCRIPTOR].map((json) => fromJSON(json, LOADER_OPTIONS));
  return ["runtime.v1.RuntimeService", "runtime.v1.ImageService"].map((name) => {
    return Object.assign({}, ...halves.map((half) => half[name] as ServiceDefinition)) as ServiceDefinition;
  });
}

/** Every method by its path, such as `/runtime.v1.RuntimeService/Version`, with its name. */
export function methodsByPath(): ReadonlyMap<string, { readonly name: string; readonly definition: MethodDefinition<object, object> }> {
  const entries = serviceDefinitions().flatMap((service) => Object.entries(service));
  return new Map(entries.map(([name, definition]) => [definition.path, { name, definition }]));
}
