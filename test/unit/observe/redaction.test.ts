import { describe, expect, test } from "@jest/globals";
import { OperationError } from "../../../src/lib/failure.js";
import { printable } from "../../../src/observe/redaction.js";

describe("printable()", () => {
  test("replaces secrets at any depth, whatever the case of the key", () => {
    const shown = printable({ a: [{ b: { Password: "p", token: "t", ".dockerconfigjson": "d", user: "u" } }], Authorization: "Bearer x" });
    expect(shown).toEqual({
      a: [{ b: { Password: "[redacted]", token: "[redacted]", ".dockerconfigjson": "[redacted]", user: "u" } }],
      Authorization: "[redacted]",
    });
  });

  test("shows an adapter's failure with kind, code and causes, without a stack", () => {
    const failure = new OperationError("transient", "CRI_UNAVAILABLE", "Cannot list containers", { cause: new Error("no socket") });
    expect(printable({ failure })).toMatchObject({
      failure: { kind: "transient", code: "CRI_UNAVAILABLE", message: "Cannot list containers", cause: { message: "no socket" } },
    });
    expect(JSON.stringify(printable(failure))).not.toContain("failure.ts");
  });

  test("shows no stacks of what caused an adapter's failure, but of what caused a bug", () => {
    const cause = new Error("ECONNREFUSED");
    expect(printable(new OperationError("transient", "KUBE_UNREACHABLE", "Cannot list pods", { cause }))).toMatchObject({
      cause: { name: "Error", message: "ECONNREFUSED" },
    });
    expect(JSON.stringify(printable(new OperationError("transient", "X", "Cannot", { cause })))).not.toContain('"stack"');
    expect(printable(new Error("outer", { cause }))).toMatchObject({
      cause: { stack: expect.stringContaining("ECONNREFUSED") as unknown },
    });
  });

  test("shows a bug with its stack", () => {
    expect(printable(new TypeError("oops"))).toMatchObject({
      name: "TypeError",
      message: "oops",
      stack: expect.stringContaining("oops") as unknown,
    });
  });

  test("cuts cycles and prints bigints", () => {
    const loop: Record<string, unknown> = { n: 12n };
    loop["self"] = loop;
    expect(printable(loop)).toEqual({ n: "12", self: "[cut]" });
  });
});
