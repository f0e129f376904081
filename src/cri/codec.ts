import { fromJSON, type MethodDefinition, type ServiceDefinition } from "@grpc/proto-loader";
import { RUNTIME_DESCRIPTOR, type RuntimeStreamMethods, type RuntimeUnaryMethods } from "./gen/runtime-proto.js";

export type CriMethods = RuntimeUnaryMethods & RuntimeStreamMethods;
export type CriMethod = keyof CriMethods;
export type CriUnaryMethod = keyof RuntimeUnaryMethods;
export type CriStreamMethod = keyof RuntimeStreamMethods;

/** How one method looks on the wire. */
export interface MethodCodec<M extends CriMethod> {
  /** Such as `/runtime.v1.RuntimeService/Version`. */
  readonly path: string;
  readonly encode: (request: CriMethods[M]["request"]) => Uint8Array;
  /** @throws Error for bytes that are no such message */
  readonly decode: (bytes: Uint8Array) => CriMethods[M]["response"];
}

/** The codecs of all methods that we use, of both services. */
export type CriCodec = <M extends CriMethod>(method: M) => MethodCodec<M>;

let shared: CriCodec | undefined;

/** The codecs, built from the descriptor at the first call: that takes about 10 ms. */
export function criCodec(): CriCodec {
  shared ??= buildCodec();
  return shared;
}

function buildCodec(): CriCodec {
  // The generated types hold for these options only (scripts/generate/proto-module.ts).
  const definitions = fromJSON(RUNTIME_DESCRIPTOR, { longs: String, enums: String, defaults: true });
  const services = ["runtime.v1.RuntimeService", "runtime.v1.ImageService"].map((name) => definitions[name] as ServiceDefinition);
  const methods = Object.assign({}, ...services) as Record<string, MethodDefinition<object, object>>;
  return (method) => toMethodCodec(methods, method);
}

function toMethodCodec<M extends CriMethod>(methods: Record<string, MethodDefinition<object, object>>, name: M): MethodCodec<M> {
  const definition = methods[name];
  if (definition === undefined) throw new Error(`Cannot find method "${name}": the descriptor has none`);
  return {
    path: definition.path,
    encode: (request) => definition.requestSerialize(request),
    decode: (bytes) =>
      definition.responseDeserialize(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) as CriMethods[M]["response"],
  };
}
