import { failureMessage } from "../../lib/failure.js";
import { kubeletCalls } from "./kubelet-calls.js";
import { MODEL_STATUS, ModelFailure } from "./model-failure.js";
import { type RuntimeIdentity, runtimeCalls } from "./runtime-calls.js";
import type { RuntimeWorld } from "./runtime-world.js";

/** Answers one request of one method; the signal aborts when the caller gives up. */
export type ServiceCall = (request: object, signal: AbortSignal) => Promise<object>;

/** Every unary method of both services by its name, behind the world's faults. Throws ModelFailure, or a bug of the model. */
export function serviceCalls(world: RuntimeWorld, identity: RuntimeIdentity): ReadonlyMap<string, ServiceCall> {
  const handlers = { ...runtimeCalls(world, identity), ...kubeletCalls(world) } as unknown as Readonly<Record<string, Handler>>;
  return new Map(Object.entries(handlers).map(([method, handler]) => [method, behindFaults(world, method, handler)]));
}

type Handler = (request: object, signal: AbortSignal) => object | Promise<object>;

function behindFaults(world: RuntimeWorld, method: string, handler: Handler): ServiceCall {
  return async (request, signal) => {
    await world.faults.intercept?.(method, signal);
    return handler(request, signal);
  };
}

/** What containerd 1.6 says to a request for events. */
export function noEvents(): ModelFailure {
  return new ModelFailure(MODEL_STATUS.UNIMPLEMENTED, "unknown method GetContainerEvents for service runtime.v1.RuntimeService");
}

/** The gRPC status of anything thrown by a call. */
export function statusOf(error: unknown): { readonly code: number; readonly details: string } {
  return { code: error instanceof ModelFailure ? error.status : MODEL_STATUS.UNKNOWN, details: failureMessage(error) };
}
