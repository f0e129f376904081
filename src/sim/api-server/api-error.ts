import type { JsonObject } from "./json.js";

/** A refusal in the words of the real API server. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string | undefined;
  readonly details: JsonObject | undefined;

  constructor(refusal: { readonly code: number; readonly reason?: string; readonly message: string; readonly details?: JsonObject }) {
    super(refusal.message);
    this.code = refusal.code;
    this.reason = refusal.reason;
    this.details = refusal.details;
  }

  /** The Status object that goes over the wire. */
  toStatus(): JsonObject {
    const { code, reason, message, details } = this;
    const why = { ...(reason === undefined ? {} : { reason }), ...(details === undefined ? {} : { details }) };
    return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, ...why, code };
  }
}

/** What a refusal is about. */
export interface Named {
  readonly plural: string;
  readonly group: string;
  readonly name: string;
}

export function notFound(named: Named): ApiError {
  return new ApiError({ code: 404, reason: "NotFound", message: `${quoted(named)} not found`, details: detailsOf(named) });
}

/** @param isLeaving the one that is there is being deleted */
export function alreadyExists(named: Named, isLeaving: boolean): ApiError {
  const message = `${isLeaving ? "object is being deleted: " : ""}${quoted(named)} already exists`;
  return new ApiError({ code: 409, reason: "AlreadyExists", message, details: detailsOf(named) });
}

export function conflict(named: Named, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${quoted(named)}: ${why}`;
  return new ApiError({ code: 409, reason: "Conflict", message, details: detailsOf(named) });
}

export function modified(named: Named): ApiError {
  return conflict(named, "the object has been modified; please apply your changes to the latest version and try again");
}

/** `pods "web"`, with the group where there is one. */
export function quoted({ plural, group, name }: Named): string {
  return `${group === "" ? plural : `${plural}.${group}`} "${name}"`;
}

/** The details that name it. */
export function detailsOf({ plural, group, name }: Named): JsonObject {
  return { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: plural };
}

export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: "BadRequest", message });
}

/** The kind, or this way of using it, is not served. */
export function noSuchResource(): ApiError {
  return new ApiError({ code: 404, reason: "NotFound", message: "the server could not find the requested resource", details: {} });
}

export function expired(message: string): ApiError {
  return new ApiError({ code: 410, reason: "Expired", message });
}
