import { describe, expect, test } from "@jest/globals";
import { DeadlinePassed } from "../../../src/kube/deadline.js";
import { fromRefusal, fromThrown } from "../../../src/kube/failures.js";
import { WireError } from "../../../src/kube/wire.js";

const operation = { verb: "patch", subject: 'Pod "shop/web-0"' };

function refusal(code: number, status: object = {}): Parameters<typeof fromRefusal>[1] {
  return { code, status: { kind: "Status", code, reason: "Some", message: "some message", ...status } };
}

describe("fromRefusal()", () => {
  test.each([
    [400, "invalid", "KUBE_BAD_REQUEST"],
    [401, "denied", "KUBE_UNAUTHORIZED"],
    [403, "denied", "KUBE_FORBIDDEN"],
    [405, "unsupported", "KUBE_UNSUPPORTED"],
    [408, "transient", "KUBE_TIMEOUT"],
    [409, "conflict", "KUBE_CONFLICT"],
    [410, "transient", "KUBE_GONE"],
    [413, "invalid", "KUBE_TOO_LARGE"],
    [415, "unsupported", "KUBE_UNSUPPORTED"],
    [418, "invalid", "KUBE_BAD_REQUEST"],
    [422, "invalid", "KUBE_INVALID"],
    [429, "transient", "KUBE_TOO_MANY_REQUESTS"],
    [500, "transient", "KUBE_SERVER_ERROR"],
    [502, "transient", "KUBE_SERVER_ERROR"],
    [503, "transient", "KUBE_UNAVAILABLE"],
    [504, "transient", "KUBE_TIMEOUT"],
  ])("%d is %s with code %s", (code, kind, name) => {
    expect(fromRefusal(operation, refusal(code))).toMatchObject({ kind, code: name });
  });

  test("404 that names an object is missing; of a whole kind it is unsupported, with or without a Status", () => {
    const named = refusal(404, { reason: "NotFound", details: { name: "web-0", kind: "pods" } });
    expect(fromRefusal(operation, named)).toMatchObject({ kind: "missing", code: "KUBE_NOT_FOUND", reason: "NotFound" });
    const kind = refusal(404, { reason: "NotFound", details: {} });
    expect(fromRefusal(operation, kind)).toMatchObject({ kind: "unsupported", code: "KUBE_KIND_MISSING" });
    const plain = { code: 404, status: undefined, text: "404 page not found\n" };
    expect(fromRefusal(operation, plain)).toMatchObject({
      kind: "unsupported",
      message: 'Cannot patch Pod "shop/web-0": HTTP 404 404 page not found',
    });
  });

  test("AlreadyExists has a code of its own", () => {
    expect(fromRefusal(operation, refusal(409, { reason: "AlreadyExists" }))).toMatchObject({
      kind: "conflict",
      code: "KUBE_ALREADY_EXISTS",
    });
  });

  test("403 because the namespace is going is missing, another 403 is not", () => {
    const causes = [{ reason: "NamespaceTerminating", field: "metadata.namespace", message: "namespace shop is being terminated" }];
    const going = refusal(403, { reason: "Forbidden", details: { name: "web-0", kind: "pods", causes } });
    expect(fromRefusal(operation, going)).toMatchObject({ kind: "missing", code: "KUBE_NAMESPACE_TERMINATING", reason: "Forbidden" });
    const quota = refusal(403, { reason: "Forbidden", details: { name: "web-0", kind: "pods", causes: [{ reason: "Quota" }] } });
    expect(fromRefusal(operation, quota)).toMatchObject({ kind: "denied", code: "KUBE_FORBIDDEN" });
  });

  test("the message has reason, message and the causes that the message lacks, without a final stop", () => {
    const causes = [
      { field: "spec.replicas", message: "must not be negative" },
      { field: "spec.image", message: "Required value." },
    ];
    const error = fromRefusal(
      operation,
      refusal(422, { reason: "Invalid", message: "spec.replicas: must not be negative", details: { causes } }),
    );
    expect(error.message).toBe('Cannot patch Pod "shop/web-0": Invalid: spec.replicas: must not be negative; spec.image: Required value');
  });

  test("keeps how long to wait", () => {
    expect(fromRefusal(operation, { ...refusal(429), retryAfterMs: 3_000 }).retryAfterMs).toBe(3_000);
  });

  test("cuts off a long text that is no Status", () => {
    const error = fromRefusal(operation, { code: 502, status: undefined, text: "x".repeat(5_000) });
    expect(error.message.length).toBeLessThan(300);
  });
});

describe("fromThrown()", () => {
  test.each([
    ["unreachable", "KUBE_UNREACHABLE"],
    ["refused", "KUBE_DISCONNECTED"],
    ["broken", "KUBE_DISCONNECTED"],
  ] as const)("a wire that is %s is transient with code %s", (failure, code) => {
    const cause = new WireError(failure, "why");
    expect(fromThrown(operation, cause)).toMatchObject({ kind: "transient", code, message: 'Cannot patch Pod "shop/web-0": why', cause });
  });

  test("a passed deadline is transient", () => {
    expect(fromThrown(operation, new DeadlinePassed(30))).toMatchObject({ kind: "transient", code: "KUBE_DEADLINE" });
  });

  test("anything else comes back as it is", () => {
    const bug = new TypeError("bug");
    expect(fromThrown(operation, bug)).toBe(bug);
  });
});
