import { describe, expect, test } from "@jest/globals";
import type { NodePodRestart, RestartRequest, RestartResult } from "../../../../src/api/node-pod-restart.js";
import { doubtedInstances } from "../../../../src/core/container-restart/doubted-instances.js";

const STOP: RestartRequest = { id: "r1", container: "app", containerID: "containerd://old" };

interface Situation {
  readonly requests: readonly RestartRequest[];
  readonly results?: readonly RestartResult[];
  /** Of the instance that the agent reported last. */
  readonly reported?: string;
  readonly observedGeneration?: number;
}

function object({ requests, results = [], reported = "old", observedGeneration = 3 }: Situation): NodePodRestart {
  const containers = [{ name: "app", containerID: `containerd://${reported}`, restartCount: 0, state: "Running" as const }];
  return {
    metadata: { name: "node1", generation: 3 },
    spec: { podRestarts: [{ namespace: "shop", name: "web-0", uid: "u1", requests }] },
    status: { observedGeneration, podRestartStatuses: [{ uid: "u1", results, containers }] },
  };
}

describe("doubtedInstances()", () => {
  test.each<{ readonly when: string; readonly situation: Situation; readonly want: readonly string[] }>([
    { when: "a stop is asked for and not decided", situation: { requests: [STOP] }, want: ["containerd://old"] },
    {
      when: "the stop is under way",
      situation: { requests: [STOP], results: [{ id: "r1", phase: "Stopping" }] },
      want: ["containerd://old"],
    },
    { when: "the stop was skipped", situation: { requests: [STOP], results: [{ id: "r1", phase: "Skipped" }] }, want: [] },
    { when: "only facts are asked for", situation: { requests: [{ id: "r1", container: "app", observe: true }] }, want: [] },
    {
      when: "the agent has not seen yet that a stop was withdrawn",
      situation: { requests: [{ id: "r2", container: "app", observe: true }], observedGeneration: 2 },
      want: ["containerd://old"],
    },
    {
      when: "the agent is behind, but reports the successor of what it had stopped",
      situation: { requests: [STOP], results: [{ id: "r1", phase: "Stopped" }], reported: "new", observedGeneration: 2 },
      want: [],
    },
  ])("when $when: $want", ({ situation, want }) => {
    expect([...doubtedInstances(object(situation), "u1")]).toEqual(want);
  });

  test("is about one pod, and nothing where nothing is known", () => {
    expect(doubtedInstances(object({ requests: [STOP] }), "u2").size).toBe(0);
    expect(doubtedInstances(undefined, "u1").size).toBe(0);
  });
});
