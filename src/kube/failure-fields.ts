import { failureKind, failureMessage, OperationError } from "../lib/failure.js";
import type { LogFields } from "../lib/logger.js";

const MAX_CAUSES = 4;

/** A failure as log fields; the stack only for what no adapter made, which is a bug. */
export function failureFields(error: unknown): LogFields {
  const failure = {
    kind: failureKind(error) ?? "bug",
    ...(error instanceof OperationError ? { code: error.code } : {}),
    message: failureMessage(error),
    cause: causesOf(error),
  };
  const isBug = !(error instanceof OperationError) && error instanceof Error;
  return isBug ? { failure, stack: error.stack } : { failure };
}

function causesOf(error: unknown): readonly string[] {
  const causes: string[] = [];
  let cause = error instanceof Error ? error.cause : undefined;
  while (cause !== undefined && causes.length < MAX_CAUSES) {
    causes.push(failureMessage(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}
