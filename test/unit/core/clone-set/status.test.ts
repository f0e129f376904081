import { describe, expect, test } from "@jest/globals";
import { cloneSetStatus, type StatusFacts } from "../../../../src/core/clone-set/status.js";
import { makeCloneSet, observed } from "../../../support/clone-set.js";

const facts: StatusFacts = {
  pods: [observed("a"), observed("b", { isUpdated: false }), observed("c", { isReady: false, isAvailable: false })],
  updateRevision: "web-new",
  currentRevision: "web-old",
  collisionCount: 0,
  observedGeneration: 1,
  failures: [],
  nowText: "2026-01-02T03:04:05Z",
};
const failure = { type: "FailedUpdate", reason: "UnsupportedField", message: "spec.x" } as const;

describe("cloneSetStatus()", () => {
  test("counts pods by readiness and revision", () => {
    expect(cloneSetStatus(makeCloneSet(), facts)).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 2,
      updatedReplicas: 2,
      updatedReadyReplicas: 1,
      updatedAvailableReplicas: 1,
      expectedUpdatedReplicas: 3,
      updateRevision: "web-new",
      currentRevision: "web-old",
      collisionCount: 0,
      labelSelector: "app=web",
    });
  });

  test("keeps the generation of before while the counts are about that one", () => {
    const before = { ...makeCloneSet(), status: { ...cloneSetStatus(makeCloneSet(), facts), observedGeneration: 7 } };
    expect(cloneSetStatus(before, { ...facts, observedGeneration: 7 }).observedGeneration).toBe(7);
    expect(cloneSetStatus(makeCloneSet(), { ...facts, observedGeneration: undefined })).not.toHaveProperty("observedGeneration");
  });

  test("moves currentRevision on when every pod is updated and none is missing, ready or not", () => {
    const pods = [observed("a"), observed("b", { isReady: false, isAvailable: false }), observed("c")];
    expect(cloneSetStatus(makeCloneSet(), { ...facts, pods }).currentRevision).toBe("web-new");
    expect(cloneSetStatus(makeCloneSet(), { ...facts, pods: pods.slice(1) }).currentRevision).toBe("web-old");
  });

  test("leaves out zero where upstream does and keeps fields it does not know", () => {
    const status = { replicas: 9, readyReplicas: 9, availableReplicas: 9, updatedReplicas: 9, updatedReadyReplicas: 9 };
    const before = { ...makeCloneSet({ replicas: 0 }), status: { ...status, updatedAvailableReplicas: 9, later: "x" } };
    const after = cloneSetStatus(before, { ...facts, pods: [] });
    expect(after).toMatchObject({ replicas: 0, later: "x" });
    expect(after).not.toHaveProperty("updatedAvailableReplicas");
    expect(after).not.toHaveProperty("expectedUpdatedReplicas");
  });

  test("reports a failure, keeps its condition unchanged while it lasts, and clears it afterwards", () => {
    const first = cloneSetStatus(makeCloneSet(), { ...facts, failures: [failure] });
    expect(first.conditions).toEqual([{ ...failure, status: "True", lastUpdateTime: facts.nowText, lastTransitionTime: facts.nowText }]);
    const later = { ...facts, nowText: "2026-01-02T03:05:00Z" };
    const again = cloneSetStatus({ ...makeCloneSet(), status: first }, { ...later, failures: [failure] });
    expect(again.conditions).toEqual(first.conditions);
    const other = cloneSetStatus({ ...makeCloneSet(), status: first }, { ...later, failures: [{ ...failure, message: "spec.y" }] });
    expect(other.conditions).toMatchObject([{ message: "spec.y", lastTransitionTime: facts.nowText, lastUpdateTime: later.nowText }]);
    expect(cloneSetStatus({ ...makeCloneSet(), status: first }, later)).not.toHaveProperty("conditions");
  });

  test("keeps conditions of other types", () => {
    const status = { ...cloneSetStatus(makeCloneSet(), facts), conditions: [{ type: "Progressing", status: "True" }] };
    expect(cloneSetStatus({ ...makeCloneSet(), status }, facts).conditions).toEqual(status.conditions);
  });
});
