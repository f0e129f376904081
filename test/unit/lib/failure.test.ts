import { describe, expect, test } from "@jest/globals";
import { failureKind, failureMessage, OperationError } from "../../../src/lib/failure.js";

describe("OperationError", () => {
  test("carries kind, code, cause and what the other side said", () => {
    const cause = new Error("ECONNREFUSED");
    const failure = new OperationError("transient", "KUBE_UNAVAILABLE", 'Cannot get pod "a/b": overloaded', {
      cause,
      retryAfterMs: 1_000,
      reason: "TooManyRequests",
    });
    expect(failure).toMatchObject({ kind: "transient", code: "KUBE_UNAVAILABLE", retryAfterMs: 1_000, reason: "TooManyRequests", cause });
    expect(failure.name).toBe("OperationError");
    expect(Object.hasOwn(new OperationError("missing", "KUBE_NOT_FOUND", "gone"), "cause")).toBe(false);
  });
});

describe("failureKind()", () => {
  test("knows only what adapters made", () => {
    expect(failureKind(new OperationError("missing", "CRI_NOT_FOUND", "gone"))).toBe("missing");
    expect(failureKind(new TypeError("a bug"))).toBeUndefined();
    expect(failureKind({ kind: "transient" })).toBeUndefined();
  });
});

describe("failureMessage()", () => {
  test.each([
    { thrown: new Error("broken"), want: "broken" },
    { thrown: "just text", want: "just text" },
    { thrown: undefined, want: "undefined" },
  ])("of $thrown is $want", ({ thrown, want }) => expect(failureMessage(thrown)).toBe(want));
});
