import { describe, expect, test } from "@jest/globals";
import type { NodePodRestart } from "../../../../src/api/node-pod-restart.js";
import { buildPodRestarts } from "../../../../src/core/container-restart/requests.js";
import { makeFacts, makeSituation, withReport, written } from "./request-builders.js";

function asked(): NodePodRestart {
  const situation = makeSituation();
  return written(situation.previous, buildPodRestarts(situation).podRestarts);
}

const ID = "update/web-abc/app/c0/1/2";

function reportsAfter(previous: NodePodRestart, delayMs: number) {
  const first = buildPodRestarts(makeSituation({ previous }));
  expect(first.reports).toEqual([]);
  return buildPodRestarts(makeSituation({ previous, nowMs: delayMs, sightings: first.sightings }));
}

describe("reportSilence()", () => {
  test("reports an agent that has not seen the spec for 30 s, with the age", () => {
    expect(reportsAfter(asked(), 29_999)).toMatchObject({ reports: [], requeueAfterMs: 1 });
    expect(reportsAfter(asked(), 30_000).reports).toEqual([{ reason: "AgentNotResponding", podUid: "uid-1", ageMs: 30_000 }]);
  });

  test("starts over when the agent answers to a generation in between", () => {
    const previous = asked();
    const first = buildPodRestarts(makeSituation({ previous }));
    const answered = { ...previous, status: { observedGeneration: 1 } };
    expect(buildPodRestarts(makeSituation({ previous: answered, nowMs: 30_000, sightings: first.sightings })).reports).toEqual([]);
  });

  test("says nothing while nobody waits", () => {
    const first = buildPodRestarts(makeSituation({ previous: asked(), wishes: [], pods: new Map() }));
    const later = makeSituation({ previous: asked(), wishes: [], pods: new Map(), nowMs: 50_000, sightings: first.sightings });
    expect(buildPodRestarts(later).reports).toEqual([]);
  });

  test("reports a stopped container that nothing follows for 30 s", () => {
    const previous = withReport(asked(), { results: [{ id: ID, phase: "Stopped" }], containers: [makeFacts({ state: "Exited" })] });
    expect(reportsAfter(previous, 29_999).reports).toEqual([]);
    expect(reportsAfter(previous, 30_000).reports).toEqual([
      { reason: "WaitingForKubelet", podUid: "uid-1", container: "app", ageMs: 30_000 },
    ]);
  });

  test("takes only a newer instance of the same container for a successor", () => {
    const results = [{ id: ID, phase: "Stopped" }] as const;
    const exited = makeFacts({ state: "Exited" });
    const other = makeFacts({ name: "side", containerID: "containerd://s1" });
    const alone = withReport(asked(), { results, containers: [exited, other] });
    expect(reportsAfter(alone, 30_000).reports).toMatchObject([{ reason: "WaitingForKubelet" }]);
    const followed = withReport(asked(), {
      results,
      containers: [makeFacts({ containerID: "containerd://c1", restartCount: 1, envHash: 5 }), other],
    });
    expect(reportsAfter(followed, 30_000).reports).toEqual([]);
  });

  test.each([
    { result: { phase: "Failed", reason: "EnvUnreadable", message: "m" }, want: "EnvUnreadable" },
    { result: { phase: "Failed", reason: "RuntimeMismatch", message: "m" }, want: "RequestRefused" },
    { result: { phase: "Stopping", reason: "StopFailed", message: "m" }, want: "StopFailed" },
  ] as const)("passes on what the agent says at once: $want", ({ result, want }) => {
    const previous = withReport(asked(), { results: [{ id: ID, ...result }], containers: [makeFacts()] });
    expect(buildPodRestarts(makeSituation({ previous })).reports).toEqual([
      { reason: want, podUid: "uid-1", container: "app", detail: "m" },
    ]);
  });
});
