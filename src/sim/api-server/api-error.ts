import type { JsonObject } from "./json.js";

/** A refusal in the words of the real API server. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: JsonObject;

  constructor(refusal: { readonly code: number; readonly reason: string; readonly message: string; readonly details?: JsonObject }) {
    super(refusal.message);
    this.code = refusal.code;
    this.reason = refusal.reason;
    this.details = refusal.details ?? {};
  }

  /** The Status object that goes over the wire. */
  toStatus(): JsonObject {
    const { code, reason, message, details } = this;
    return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, details, code };
  }
}

interface Named {
  readonly plural: string;
  readonly group: string;
  readonly name: string;
}

export function notFound({ plural, group, name }: Named): ApiError {
  const kind = group === "" ? plural : `${plural}.${group}`;
  return new ApiError({ code: 404, reason: "NotFound", message: `${kind} "${name}" not found`, details: { name, group, kind: plural } });
}

export function alreadyExists({ plural, group, name }: Named): ApiError {
  const kind = group === "" ? plural : `${plural}.${group}`;
  return new ApiError({
    code: 409,
    reason: "AlreadyExists",
    message: `${kind} "${name}" already exists`,
    details: { name, group, kind: plural },
  });
}

export function conflict({ plural, group, name }: Named, why: string): ApiError {
  const kind = group === "" ? plural : `${plural}.${group}`;
  const message = `Operation cannot be fulfilled on ${kind} "${name}": ${why}`;
  return new ApiError({ code: 409, reason: "Conflict", message, details: { name, group, kind: plural } });
}

export function modified(named: Named): ApiError {
  return conflict(named, "the object has been modified; please apply your changes to the latest version and try again");
}

export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: "BadRequest", message });
}

/** The kind, or this way of using it, is not served. */
export function noSuchResource(): ApiError {
  return new ApiError({ code: 404, reason: "NotFound", message: "the server could not find the requested resource" });
}

export function expired(message: string): ApiError {
  return new ApiError({ code: 410, reason: "Expired", message });
}
