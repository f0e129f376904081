import { describe, expect, test } from "@jest/globals";
import { Pass } from "../../../../src/controller/clone-set/pass.js";
import { OperationError } from "../../../../src/lib/failure.js";
import { makeCloneSet } from "../../../support/clone-set.js";
import { stubDependencies } from "../../../support/controller-stub.js";

const step = { type: "FailedUpdate", reason: "FailedUpdatePod" } as const;
const conflict = new OperationError("conflict", "KUBE_CONFLICT", "conflict");
const denied = new OperationError("denied", "KUBE_DENIED", "denied");
const missing = new OperationError("missing", "KUBE_MISSING", "missing");

function setUp(status?: object): { readonly pass: Pass; readonly events: readonly object[]; readonly stop: AbortController } {
  const { deps, events } = stubDependencies();
  const stop = new AbortController();
  const cloneSet = { ...makeCloneSet(), ...(status === undefined ? {} : { status }) };
  return { pass: new Pass(deps, cloneSet as ReturnType<typeof makeCloneSet>, stop.signal), events, stop };
}

describe("Pass", () => {
  test("tells the user about a failure, not about a conflict or an object that is gone", () => {
    const { pass } = setUp();
    expect([conflict, missing, denied].map((error) => pass.failWith(error, step))).toEqual([false, false, true]);
    expect(pass.failures).toEqual([{ ...step, message: "denied" }]);
  });

  test("retries as the worst failure asks, not as a conflict does", () => {
    const { pass } = setUp();
    pass.failWith(conflict, step);
    expect(pass.error).toBe(conflict);
    pass.failWith(denied, step);
    expect(pass.error).toBe(denied);
  });

  test("retries as the failure asks that may heal soonest", () => {
    const { pass } = setUp();
    const invalid = new OperationError("invalid", "KUBE_INVALID", "invalid");
    const transient = new OperationError("transient", "KUBE_UNAVAILABLE", "away");
    for (const error of [conflict, invalid]) pass.failWith(error, step);
    expect(pass.error).toBe(invalid);
    pass.failWith(denied, step);
    expect(pass.error).toBe(denied);
    pass.failWith(transient, step);
    expect(pass.error).toBe(transient);
  });

  test("takes no cancelled step for a failure", () => {
    const { pass, stop } = setUp();
    stop.abort(new Error("stopping"));
    expect(() => pass.failWith(denied, step)).toThrow("stopping");
    expect(pass.failures).toEqual([]);
  });

  test("announces once: no event while the status says it", () => {
    const first = setUp();
    first.pass.announce("FailedUpdate", "InvalidSpec", "spec.replicas is -1");
    expect(first.events).toMatchObject([{ type: "Warning", reason: "InvalidSpec", component: "cloneset-controller" }]);
    const second = setUp({ conditions: [{ type: "FailedUpdate", status: "True", message: "spec.replicas is -1; another" }] });
    second.pass.announce("FailedUpdate", "InvalidSpec", "spec.replicas is -1");
    expect(second.events).toEqual([]);
    expect(second.pass.failures).toHaveLength(1);
  });

  test("lists failures in an order that does not depend on which came first, what is announced before the rest", () => {
    const orders = [
      ["pod c", "pod a", "pod b"],
      ["pod b", "pod c", "pod a"],
    ].map((messages) => {
      const { pass } = setUp();
      for (const message of messages) pass.fail("FailedUpdate", "FailedRefresh", message);
      for (const message of messages) pass.announce("FailedUpdate", "UnsupportedChange", message);
      return pass.failures.map(({ reason, message }) => `${reason} ${message}`);
    });
    const names = ["pod a", "pod b", "pod c"];
    const wanted = [...names.map((name) => `UnsupportedChange ${name}`), ...names.map((name) => `FailedRefresh ${name}`)];
    expect(orders).toEqual([wanted, wanted]);
  });

  test("comes back after the shortest delay that anybody wished", () => {
    const { pass } = setUp();
    for (const delayMs of [500, 200, 900]) pass.comeBackAfter(delayMs);
    expect(pass.requeueAfterMs).toBe(200);
  });
});
