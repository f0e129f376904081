import { type FailureKind, failureMessage, OperationError } from "../lib/failure.js";
import { DeadlinePassed } from "./deadline.js";
import { WireError } from "./wire.js";

/** What was tried, in the words of a failure message: `patch` and `Pod "shop/web-0"`. */
export interface Operation {
  readonly verb: string;
  readonly subject: string;
}

/** The API server's own report of a failure, as far as we read it. */
export interface Status {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string; readonly field?: string; readonly message?: string }[];
  };
}

/** A refusal by the API server. */
export interface Refusal {
  /** HTTP status, or the code of an ERROR event. */
  readonly code: number;
  /** Undefined when the answer's body was no Status. */
  readonly status: Status | undefined;
  /** The start of such a body. */
  readonly text?: string;
  readonly retryAfterMs?: number | undefined;
}

/** Stable codes of failures by HTTP status; docs/errors.md lists them. */
const BY_CODE: ReadonlyMap<number, readonly [FailureKind, string]> = new Map([
  [400, ["invalid", "KUBE_BAD_REQUEST"]],
  [401, ["denied", "KUBE_UNAUTHORIZED"]],
  [403, ["denied", "KUBE_FORBIDDEN"]],
  [404, ["missing", "KUBE_NOT_FOUND"]],
  [405, ["unsupported", "KUBE_UNSUPPORTED"]],
  [406, ["unsupported", "KUBE_UNSUPPORTED"]],
  [408, ["transient", "KUBE_TIMEOUT"]],
  [409, ["conflict", "KUBE_CONFLICT"]],
  [410, ["transient", "KUBE_GONE"]],
  [413, ["invalid", "KUBE_TOO_LARGE"]],
  [415, ["unsupported", "KUBE_UNSUPPORTED"]],
  [422, ["invalid", "KUBE_INVALID"]],
  [429, ["transient", "KUBE_TOO_MANY_REQUESTS"]],
  [500, ["transient", "KUBE_SERVER_ERROR"]],
  [503, ["transient", "KUBE_UNAVAILABLE"]],
  [504, ["transient", "KUBE_TIMEOUT"]],
]);

const MAX_TEXT = 200;

/** The failure for an answer that refuses; see `KubeClient` for which kind it is. */
export function fromRefusal(operation: Operation, refusal: Refusal): OperationError {
  const [kind, code] = classify(refusal);
  const { status, retryAfterMs } = refusal;
  return new OperationError(kind, code, messageOf(operation, stateOf(refusal)), {
    ...(status?.reason === undefined ? {} : { reason: status.reason }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function classify({ code, status }: Refusal): readonly [FailureKind, string] {
  const known = classifyByStatus(code, status) ?? BY_CODE.get(code);
  if (known !== undefined) return known;
  return code >= 500 ? ["transient", "KUBE_SERVER_ERROR"] : ["invalid", "KUBE_BAD_REQUEST"];
}

/** Where the number alone does not tell. */
function classifyByStatus(code: number, status: Status | undefined): readonly [FailureKind, string] | undefined {
  if (code === 404 && status?.details?.name === undefined) return ["unsupported", "KUBE_KIND_MISSING"];
  if (code === 409 && status?.reason === "AlreadyExists") return ["conflict", "KUBE_ALREADY_EXISTS"];
  if (code === 403 && isNamespaceGoing(status)) return ["missing", "KUBE_NAMESPACE_TERMINATING"];
  return undefined;
}

/** No missing right: whoever wants to create something there has nothing left to do. */
function isNamespaceGoing(status: Status | undefined): boolean {
  return status?.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;
}

function stateOf({ code, status, text = "" }: Refusal): string {
  if (status === undefined) return `HTTP ${code}${text === "" ? "" : ` ${text.slice(0, MAX_TEXT).trim()}`}`;
  const { reason = `HTTP ${code}`, message = "no message" } = status;
  const causes = (status.details?.causes ?? [])
    .map(({ field, message: cause = "" }) => (field === undefined ? cause : `${field}: ${cause}`))
    .filter((cause) => cause !== "" && !message.includes(cause.slice(cause.indexOf(": ") + 1).trim()));
  return [`${reason}: ${message}`, ...causes].join("; ");
}

/**
 * The failure for anything that was thrown while talking to the API server: what is no failure of the connection comes back unchanged,
 * above all the reason of an aborted signal.
 */
export function fromThrown(operation: Operation, error: unknown): unknown {
  if (error instanceof DeadlinePassed) {
    return new OperationError("transient", "KUBE_DEADLINE", messageOf(operation, error.message), { cause: error });
  }
  if (error instanceof WireError) {
    const code = error.failure === "unreachable" ? "KUBE_UNREACHABLE" : "KUBE_DISCONNECTED";
    return new OperationError("transient", code, messageOf(operation, error.message), { cause: error });
  }
  return error;
}

/** The failure for an answer that makes no sense: cut off, not JSON, or too big. */
export function badReply(operation: Operation, state: string, cause?: unknown): OperationError {
  return new OperationError("transient", "KUBE_BAD_REPLY", messageOf(operation, state), { cause });
}

/** The failure for a list that is older than what was seen: another server, or a database that went back. */
export function oldList(operation: Operation, listed: string, seen: string): OperationError {
  const state = `the list is of resourceVersion ${listed}, but ${seen} was seen already`;
  return new OperationError("transient", "KUBE_OLD_LIST", messageOf(operation, state));
}

/** The failure for a token or certificate that cannot be read. */
export function unreadableCredentials(path: string, cause: unknown): OperationError {
  const operation = { verb: "read", subject: `credentials "${path}"` };
  return new OperationError("transient", "KUBE_CREDENTIALS", messageOf(operation, failureMessage(cause)), { cause });
}

function messageOf(operation: Operation, state: string): string {
  return `Cannot ${operation.verb} ${operation.subject}: ${state.replace(/\.$/, "")}`;
}

/** Whether a create was refused because something of that name is there already. */
export function isAlreadyExists(error: unknown): boolean {
  return error instanceof OperationError && error.reason === "AlreadyExists";
}
