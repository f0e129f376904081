import { type FailureKind, OperationError } from "../lib/failure.js";
import { WireFailure } from "./wire.js";

/** What every gRPC status asks of us, and its name in a code. */
const GRPC: ReadonlyMap<number, readonly [FailureKind, string]> = new Map<number, readonly [FailureKind, string]>([
  [1, ["transient", "CANCELLED"]],
  [2, ["transient", "UNKNOWN"]],
  [3, ["invalid", "INVALID_ARGUMENT"]],
  [4, ["transient", "DEADLINE_EXCEEDED"]],
  [5, ["missing", "NOT_FOUND"]],
  [6, ["conflict", "ALREADY_EXISTS"]],
  [7, ["denied", "PERMISSION_DENIED"]],
  [8, ["transient", "RESOURCE_EXHAUSTED"]],
  [9, ["conflict", "FAILED_PRECONDITION"]],
  [10, ["conflict", "ABORTED"]],
  [11, ["invalid", "OUT_OF_RANGE"]],
  [12, ["unsupported", "UNIMPLEMENTED"]],
  [13, ["transient", "INTERNAL"]],
  [14, ["transient", "UNAVAILABLE"]],
  [15, ["transient", "DATA_LOSS"]],
  [16, ["denied", "UNAUTHENTICATED"]],
]);

/** What was being done, for the message: `stop container` and its id. */
export interface CallSubject {
  readonly verb: string;
  readonly target: string;
}

/** The failure that callers see for whatever a call threw; anything but a WireFailure (a cancellation, a bug) stays itself. */
export function fromCallFailure(subject: CallSubject, cause: unknown): unknown {
  if (!(cause instanceof WireFailure)) return cause;
  const [kind, name] = GRPC.get(cause.status) ?? ["transient", "UNKNOWN"];
  return new OperationError(kind, `CRI_${name}`, `Cannot ${subject.verb} "${subject.target}": ${cause.message}`, { cause });
}
