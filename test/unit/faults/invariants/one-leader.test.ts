import { describe, expect, test } from "@jest/globals";
import { oneLeader } from "../../../faults/invariants/one-leader.js";
import type { Entry } from "../../../faults/journal.js";
import { at, broken, CONTROLLER, named, step, stored } from "./journals.js";

const OTHER = "controller-2#1";

function held(atMs: number, holderIdentity: string): Entry {
  return stored(atMs, "leases", named("podmend-controller", { spec: { holderIdentity } }));
}

function renewal(atMs: number): Entry {
  return step(atMs, "received", CONTROLLER, "renew-lease", "PUT /leases/podmend-controller", "200");
}

function write(atMs: number, actor = CONTROLLER): Entry {
  return step(atMs, "before", actor, "change-pod", "PATCH /pods/web-a");
}

describe("one-leader", () => {
  test("lets a Lease be taken that was given back, or that nobody has renewed for long", () => {
    expect(broken(oneLeader, [held(0, CONTROLLER), held(2_000, ""), held(2_100, OTHER)])).toEqual([]);
    expect(broken(oneLeader, [held(0, CONTROLLER), held(2_000, CONTROLLER), held(17_000, OTHER)])).toEqual([]);
  });

  test("finds a Lease that is taken from a leader which renews it", () => {
    expect(broken(oneLeader, [held(0, CONTROLLER), held(14_000, CONTROLLER), held(17_000, OTHER)])).toEqual(["one-leader"]);
  });

  test("lets a leader write that has renewed its Lease, or has just slept", () => {
    const slept = at(20_000, { type: "fault", fault: "controller-pause", change: "begins", target: "" });
    expect(broken(oneLeader, [renewal(1_000), write(9_000)])).toEqual([]);
    expect(broken(oneLeader, [renewal(1_000), slept, write(40_000)])).toEqual([]);
  });

  test("finds a write of somebody who has not", () => {
    expect(broken(oneLeader, [renewal(1_000), write(12_000)])).toEqual(["one-leader"]);
    expect(broken(oneLeader, [renewal(1_000), write(2_000, OTHER)])).toEqual(["one-leader"]);
  });
});
