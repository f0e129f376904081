import { expect, test } from "@jest/globals";
import { fromCallFailure } from "../../../src/cri/failures.js";
import { WireFailure } from "../../../src/cri/wire.js";
import { OperationError } from "../../../src/lib/failure.js";

const SUBJECT = { verb: "stop container", target: "web" };

test.each([
  [1, "transient", "CRI_CANCELLED"],
  [2, "transient", "CRI_UNKNOWN"],
  [3, "invalid", "CRI_INVALID_ARGUMENT"],
  [4, "transient", "CRI_DEADLINE_EXCEEDED"],
  [5, "missing", "CRI_NOT_FOUND"],
  [6, "conflict", "CRI_ALREADY_EXISTS"],
  [7, "denied", "CRI_PERMISSION_DENIED"],
  [8, "transient", "CRI_RESOURCE_EXHAUSTED"],
  [9, "conflict", "CRI_FAILED_PRECONDITION"],
  [10, "conflict", "CRI_ABORTED"],
  [11, "invalid", "CRI_OUT_OF_RANGE"],
  [12, "unsupported", "CRI_UNIMPLEMENTED"],
  [13, "transient", "CRI_INTERNAL"],
  [14, "transient", "CRI_UNAVAILABLE"],
  [15, "transient", "CRI_DATA_LOSS"],
  [16, "denied", "CRI_UNAUTHENTICATED"],
  [99, "transient", "CRI_UNKNOWN"],
])("fromCallFailure() of status %i is %s, %s", (status, kind, code) => {
  const failure = fromCallFailure(SUBJECT, new WireFailure(status, "why"));

  expect(failure).toBeInstanceOf(OperationError);
  expect(failure).toMatchObject({ kind, code, message: 'Cannot stop container "web": why' });
});

test("fromCallFailure() leaves a cancellation and a bug what they are", () => {
  const reason = new Error("shutting down");

  expect(fromCallFailure(SUBJECT, reason)).toBe(reason);
});
