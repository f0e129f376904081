import { describe, expect, test } from "@jest/globals";
import { withinMaxUnavailable } from "../../../faults/invariants/within-max-unavailable.js";
import { broken, CONTROLLER, pod, read, set, step, stored } from "./journals.js";

const BEGUN = [
  stored(1, "clonesets", set(3, 1)),
  read(2, CONTROLLER, "clonesets"),
  ...["web-a", "web-b", "web-c"].map((name, index) => stored(3 + index, "pods", pod(name))),
  read(6, CONTROLLER, "pods"),
];

function close(atMs: number, name: string): ReturnType<typeof step> {
  return step(atMs, "before", CONTROLLER, "close-gate", `PATCH /api/v1/namespaces/shop/pods/${name}/status`);
}

describe("within-max-unavailable", () => {
  test("lets as many be disturbed as may be, and those that are unavailable anyway", () => {
    expect(broken(withinMaxUnavailable, [...BEGUN, close(1_000, "web-a")])).toEqual([]);
    const ended = [stored(900, "pods", pod("web-b", { isReady: false })), read(901, CONTROLLER, "pods")];
    expect(broken(withinMaxUnavailable, [...BEGUN, ...ended, close(2_000, "web-b")])).toEqual([]);
  });

  test("lets what was right a moment ago, or is right now, be done", () => {
    const ended = [stored(900, "pods", pod("web-b", { isReady: false })), read(901, CONTROLLER, "pods")];
    expect(broken(withinMaxUnavailable, [...BEGUN, ...ended, close(950, "web-a")])).toEqual([]);
    const healed = [stored(1_900, "pods", pod("web-b")), read(1_901, CONTROLLER, "pods")];
    expect(broken(withinMaxUnavailable, [...BEGUN, ...ended, ...healed, close(1_902, "web-a")])).toEqual([]);
  });

  test("finds the disturbance of one too many among those that a life has read", () => {
    const ended = [stored(900, "pods", pod("web-b", { isReady: false })), read(901, CONTROLLER, "pods")];
    expect(broken(withinMaxUnavailable, [...BEGUN, ...ended, close(2_000, "web-a")])).toEqual(["within-max-unavailable"]);
  });

  test("finds the disturbance of one too many beside its own writes, answered or not", () => {
    const applied = [
      close(1_000, "web-a"),
      stored(1_001, "pods", pod("web-a", { gate: "False" })),
      step(1_001, "applied", CONTROLLER, "close-gate", "PATCH /api/v1/namespaces/shop/pods/web-a/status"),
    ];
    expect(broken(withinMaxUnavailable, [...BEGUN, ...applied, close(1_010, "web-b")])).toEqual(["within-max-unavailable"]);
  });
});
