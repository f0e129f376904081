import { describe, expect, test } from "@jest/globals";
import { BoundedMap } from "../../../src/kube/bounded-map.js";
import { countPatch, newEvent, type RepeatedFact } from "../../../src/kube/event-object.js";
import { failureFields } from "../../../src/kube/failure-fields.js";
import { keyOf, keyOfName, nameOfKey } from "../../../src/kube/keys.js";
import { claimedSpec, releasedSpec, toMicroTime } from "../../../src/kube/lease-record.js";
import { OperationError } from "../../../src/lib/failure.js";

test.each([
  [{ name: "node1" }, "node1"],
  [{ namespace: "shop", name: "web-0" }, "shop/web-0"],
])("keyOfName(%j) is %s and back", (name, key) => {
  expect(keyOfName(name)).toBe(key);
  expect(nameOfKey(key)).toEqual(name);
  expect(keyOf({ metadata: name })).toBe(key);
});

test("BoundedMap forgets what was set longest ago", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.set("c", 4);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([3, undefined, 4]);
  map.delete("a");
  expect(map.get("a")).toBeUndefined();
});

describe("claimedSpec()", () => {
  const claim = { identity: "me", durationSeconds: 15, nowMs: Date.parse("2026-01-02T03:04:05.678Z") };
  const now = "2026-01-02T03:04:05.678000Z";

  test("of a new lease", () => {
    expect(claimedSpec({}, claim)).toEqual({
      holderIdentity: "me",
      leaseDurationSeconds: 15,
      renewTime: now,
      acquireTime: now,
      leaseTransitions: 0,
    });
  });

  test("renews ours without a transition, and keeps unknown fields", () => {
    const ours = { holderIdentity: "me", acquireTime: "then", leaseTransitions: 3, preferredHolder: "x" };
    expect(claimedSpec(ours, claim)).toMatchObject({ acquireTime: "then", leaseTransitions: 3, renewTime: now, preferredHolder: "x" });
  });

  test.each(["other", ""])("counts taking it from %j as a transition", (holderIdentity) => {
    const theirs = { holderIdentity, acquireTime: "then", leaseTransitions: 3 };
    expect(claimedSpec(theirs, claim)).toMatchObject({ acquireTime: now, leaseTransitions: 4 });
  });
});

test("releasedSpec() names nobody and ends soon", () => {
  expect(releasedSpec({ holderIdentity: "me", leaseTransitions: 3 }, 0)).toEqual({
    holderIdentity: "",
    leaseDurationSeconds: 1,
    leaseTransitions: 3,
    renewTime: "1970-01-01T00:00:00.000000Z",
  });
});

test("toMicroTime() has six digits", () => {
  expect(toMicroTime(1)).toBe("1970-01-01T00:00:00.001000Z");
});

describe("newEvent()", () => {
  const repeated: RepeatedFact = {
    fact: { regarding: { kind: "Node", name: "n".repeat(253) }, type: "Normal", reason: "R", message: "m".repeat(2_000), component: "c" },
    suffix: "0123456789abcdef",
    firstMs: 0,
    lastMs: 1_999,
    count: 2,
    isWritten: false,
  };

  test("keeps the limits of the API and puts cluster-scoped objects into namespace default", () => {
    const event = newEvent(repeated, { component: "x", instance: "i" });
    expect(event.metadata.name.length).toBe(253);
    expect(event.metadata.namespace).toBe("default");
    expect(event).toMatchObject({ message: "m".repeat(1_024), count: 2, source: { component: "c" }, reportingInstance: "i" });
    expect(event).toMatchObject({ firstTimestamp: "1970-01-01T00:00:00Z", lastTimestamp: "1970-01-01T00:00:01Z" });
  });

  test("countPatch() is about the same Event", () => {
    const event = newEvent(repeated, { component: "x", instance: "i" });
    expect(countPatch(repeated)).toEqual({
      target: { name: event.metadata.name, namespace: "default" },
      type: "merge",
      body: { count: 2, lastTimestamp: "1970-01-01T00:00:01Z" },
    });
  });
});

describe("failureFields()", () => {
  test("tells kind, code and causes of an operation's failure, no stack", () => {
    const cause = new Error("inner", { cause: "innermost" });
    const fields = failureFields(new OperationError("transient", "KUBE_TIMEOUT", "Cannot do it: no", { cause }));
    expect(fields).toEqual({
      failure: { kind: "transient", code: "KUBE_TIMEOUT", message: "Cannot do it: no", cause: ["inner", "innermost"] },
    });
  });

  test("calls anything else a bug, with its stack", () => {
    expect(failureFields(new TypeError("oops"))).toMatchObject({ failure: { kind: "bug", message: "oops" }, stack: expect.any(String) });
    expect(failureFields("text")).toEqual({ failure: { kind: "bug", message: "text", cause: [] } });
  });
});
