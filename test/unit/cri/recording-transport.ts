import { fromJSON, type ServiceDefinition } from "@grpc/proto-loader";
import { createCriCalls } from "../../../src/cri/calls.js";
import { criCodec } from "../../../src/cri/codec.js";
import type { CriCalls } from "../../../src/cri/calls.js";
import { RUNTIME_DESCRIPTOR } from "../../../src/cri/gen/runtime-proto.js";
import type { CriTransport } from "../../../src/cri/wire.js";
import type { Metrics } from "../../../src/lib/metrics.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { FakeClock } from "../../support/fake-clock.js";

/** One call as it would go over the wire. */
export interface RecordedCall {
  readonly path: string;
  readonly request: unknown;
  readonly timeoutMs: number;
}

/** Calls whose bytes go nowhere: each is recorded and answered with `replies[method]`, or an empty message; an Error is thrown. */
export function recordCalls(replies: Readonly<Record<string, object>> = {}, metrics: Metrics = silentMetrics) {
  const calls: RecordedCall[] = [];
  const definitions = fromJSON(RUNTIME_DESCRIPTOR, { longs: String, defaults: false });
  const services = ["RuntimeService", "ImageService"].map((name) => definitions[`runtime.v1.${name}`] as ServiceDefinition);
  const transport: CriTransport = {
    async unary(path, request, { timeoutMs }) {
      const method = path.slice(path.lastIndexOf("/") + 1);
      const definition = services.map((service) => service[method]).find((found) => found !== undefined);
      if (definition === undefined) throw new Error(`no method ${method}`);
      calls.push({ path, request: definition.requestDeserialize(Buffer.from(request)), timeoutMs });
      const reply = replies[method] ?? {};
      if (reply instanceof Error) throw reply;
      return Buffer.isBuffer(reply) ? reply : definition.responseSerialize(reply);
    },
    async *serverStream(path) {
      const method = path.slice(path.lastIndexOf("/") + 1);
      const definition = services.map((service) => service[method]).find((found) => found !== undefined);
      for (const reply of (replies[method] ?? []) as readonly object[]) yield definition?.responseSerialize(reply) ?? new Uint8Array();
    },
    close: () => undefined,
  };
  const made: CriCalls = createCriCalls({ transport, codec: criCodec(), clock: new FakeClock(), metrics });
  return { calls, criCalls: made };
}
