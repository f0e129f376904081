import { describe, expect, test } from "@jest/globals";
import { specChange } from "../../../../src/agent/container-restart/sources.js";
import type { NodePodRestart } from "../../../../src/api/node-pod-restart.js";

function object(generation: number, pods: Readonly<Record<string, readonly string[]>>): NodePodRestart {
  const podRestarts = Object.entries(pods).map(([uid, ids]) => ({
    namespace: "shop",
    name: uid,
    uid,
    requests: ids.map((id) => ({ id, container: "app", observe: true })),
  }));
  return { metadata: { name: "node-a", generation }, spec: { podRestarts } };
}

const key = "node-a";

describe("specChange()", () => {
  test("of the first list names every pod", () => {
    expect(specChange({ key, after: object(1, { a: ["1"], b: ["2"] }) })).toEqual({
      podUids: ["a", "b"],
      withdrawnIds: [],
      isNewGeneration: true,
    });
  });

  test("of a change of status names none", () => {
    const before = object(1, { a: ["1"] });
    const change = { key, before, after: { ...before, status: { observedGeneration: 1 } } };
    expect(specChange(change)).toEqual({ podUids: [], withdrawnIds: [], isNewGeneration: false });
  });

  test("names pods with new, with fewer and without requests, and what was withdrawn", () => {
    const before = object(1, { same: ["1"], more: ["2"], less: ["3", "4"], gone: ["5"] });
    const after = object(2, { same: ["1"], more: ["2", "6"], less: ["3"] });
    expect(specChange({ key, before, after })).toEqual({
      podUids: ["more", "less", "gone"],
      withdrawnIds: ["4", "5"],
      isNewGeneration: true,
    });
  });

  test("names a pod of whose requests one was exchanged", () => {
    const change = { key, before: object(1, { pod: ["1", "2"] }), after: object(2, { pod: ["1", "3"] }) };
    expect(specChange(change)).toEqual({ podUids: ["pod"], withdrawnIds: ["2"], isNewGeneration: true });
  });

  test("of the object's end withdraws everything", () => {
    expect(specChange({ key, before: object(1, { a: ["1"] }) })).toEqual({ podUids: ["a"], withdrawnIds: ["1"], isNewGeneration: true });
  });
});
