import { describe, expect, test } from "@jest/globals";
import type { RestartRequest, RestartResult } from "../../../../src/api/node-pod-restart.js";
import { decideRestart } from "../../../../src/core/container-restart/decide.js";
import { hash, makeInstance, makeObservation, makeStop, type ObservationParts } from "./builders.js";

const exec = { type: "exec", command: ["/drain"] } as const;
const stopped: RestartResult = { id: "r1", phase: "Stopped" };
const next = makeInstance({ id: "new", createdAtMs: 2_000, restartCount: 1 });
const wrongEnv = { old: hash(4) };

interface Row {
  readonly when: string;
  readonly request?: RestartRequest;
  readonly observed?: ObservationParts;
  readonly want: object;
}

const STOP_ROWS: readonly Row[] = [
  { when: "nobody has read the env yet", want: { type: "inspect", instanceId: "old" } },
  {
    when: "the env differs",
    observed: { envs: wrongEnv },
    want: { type: "stop", instanceId: "old", graceSeconds: 30, preStop: undefined },
  },
  {
    when: "the env is the wanted one",
    observed: { envs: { old: hash(5) } },
    want: { type: "finish", result: { id: "r1", phase: "Skipped", reason: "EnvAlreadyApplied" } },
  },
  {
    when: "the runtime does not tell the env",
    observed: { envs: { old: { type: "unreadable" } } },
    want: { type: "finish", result: expect.objectContaining({ phase: "Failed", reason: "EnvUnreadable" }) },
  },
  {
    when: "there is no env condition",
    request: { id: "r1", container: "app", containerID: "containerd://old" },
    want: { type: "stop", instanceId: "old", graceSeconds: 30, preStop: undefined },
  },
  {
    when: "the request gives a grace",
    request: makeStop({ gracePeriodSeconds: 7 }),
    observed: { envs: wrongEnv },
    want: { type: "stop", instanceId: "old", graceSeconds: 7, preStop: undefined },
  },
  {
    when: "the container has a preStop handler",
    observed: { envs: wrongEnv, instances: [makeInstance({ preStop: exec })] },
    want: { type: "stop", instanceId: "old", graceSeconds: 30, preStop: exec },
  },
  {
    when: "preStop is not asked for",
    request: makeStop({ runPreStop: false }),
    observed: { envs: wrongEnv, instances: [makeInstance({ preStop: exec })] },
    want: { type: "stop", instanceId: "old", graceSeconds: 30, preStop: undefined },
  },
  {
    when: "the grace is 0, which skips preStop",
    request: makeStop({ gracePeriodSeconds: 0 }),
    observed: { envs: wrongEnv, instances: [makeInstance({ preStop: exec })] },
    want: { type: "stop", instanceId: "old", graceSeconds: 0, preStop: undefined },
  },
  {
    when: "an earlier life of the agent had begun preStop",
    observed: { envs: wrongEnv, instances: [makeInstance({ preStop: exec })], previous: { id: "r1", phase: "Stopping" } },
    want: { type: "stop", instanceId: "old", graceSeconds: 30, preStop: undefined },
  },
  {
    when: "the list is behind and still shows the instance that was stopped: preStop is over",
    observed: { envs: wrongEnv, instances: [makeInstance({ preStop: exec })], previous: { id: "r1", phase: "Stopped" } },
    want: { type: "stop", instanceId: "old", graceSeconds: 30, preStop: undefined },
  },
  {
    when: "the request has only waited so far: preStop is still to run",
    observed: { envs: wrongEnv, instances: [makeInstance({ preStop: exec })], previous: { id: "r1", phase: "Waiting" } },
    want: { type: "stop", instanceId: "old", graceSeconds: 30, preStop: exec },
  },
  {
    when: "a stop was answered but the instance runs on",
    observed: { envs: wrongEnv, previous: stopped },
    want: { type: "stop", instanceId: "old", graceSeconds: 30, preStop: undefined },
  },
  {
    when: "the state of the instance is unknown",
    observed: { envs: wrongEnv, instances: [makeInstance({ state: "Unknown" })] },
    want: { type: "stop", instanceId: "old", graceSeconds: 30, preStop: undefined },
  },
  {
    when: "the instance has the env already, but may end by an earlier stop",
    observed: { envs: { old: hash(5) }, instances: [makeInstance({ state: "Unknown" })] },
    want: { type: "wait", result: { id: "r1", phase: "Waiting" } },
  },
  {
    when: "the instance has not started yet",
    observed: { instances: [makeInstance({ state: "Created" })] },
    want: { type: "wait", result: { id: "r1", phase: "Waiting" } },
  },
  {
    when: "the instance has not started yet, and preStop had begun",
    observed: { instances: [makeInstance({ state: "Created" })], previous: { id: "r1", phase: "Stopping" } },
    want: { type: "wait", result: { id: "r1", phase: "Stopping" } },
  },
  {
    when: "the instance has ended and none follows yet",
    observed: { instances: [makeInstance({ state: "Exited" })] },
    want: { type: "wait", result: stopped },
  },
  { when: "the runtime knows no instance", observed: { instances: [] }, want: { type: "wait", result: stopped } },
  {
    when: "the next instance has not started yet",
    observed: { instances: [{ ...next, state: "Created" }, makeInstance({ state: "Exited" })] },
    want: { type: "wait", result: stopped },
  },
  {
    when: "the next instance runs with an env that nobody has read",
    observed: { instances: [next, makeInstance({ state: "Exited" })] },
    want: { type: "inspect", instanceId: "new" },
  },
  {
    when: "the next instance runs, even with the wrong env",
    observed: { instances: [next, makeInstance({ state: "Exited" })], envs: { new: hash(4) } },
    want: { type: "finish", result: stopped },
  },
  {
    when: "the named instance is gone without a trace",
    observed: { instances: [next], envs: { new: hash(4) } },
    want: { type: "finish", result: stopped },
  },
  {
    when: "a newer instance runs beside the named one",
    observed: { instances: [makeInstance(), next], envs: wrongEnv },
    want: { type: "finish", result: { id: "r1", phase: "Skipped", reason: "InstanceReplaced" } },
  },
  {
    when: "the named instance belongs to another container of the pod",
    observed: { instances: [makeInstance({ container: "proxy" })], envs: wrongEnv },
    want: { type: "wait", result: stopped },
  },
  {
    when: "the named instance belongs to another pod",
    observed: { instances: [makeInstance({ podUid: "uid-2" })], envs: wrongEnv },
    want: { type: "wait", result: stopped },
  },
  {
    when: "the containerID is of another runtime",
    request: makeStop({ containerID: "docker://old" }),
    observed: { envs: wrongEnv },
    want: { type: "finish", result: expect.objectContaining({ phase: "Failed", reason: "RuntimeMismatch" }) },
  },
  {
    when: "no containerID is named",
    request: { id: "r1", container: "app", stopWhile: { envHashNot: 5 }, envNames: ["CONFIG"] },
    observed: { envs: wrongEnv },
    want: { type: "finish", result: expect.objectContaining({ phase: "Failed", reason: "InvalidRequest" }) },
  },
  {
    when: "the containerID cannot be read",
    request: makeStop({ containerID: "old" }),
    observed: { envs: wrongEnv },
    want: { type: "finish", result: expect.objectContaining({ phase: "Failed", reason: "InvalidRequest" }) },
  },
  {
    when: "stopWhile comes without envNames",
    request: { id: "r1", container: "app", containerID: "containerd://old", stopWhile: { envHashNot: 5 } },
    want: { type: "finish", result: expect.objectContaining({ phase: "Failed", reason: "InvalidRequest" }) },
  },
];

const observe: RestartRequest = { id: "r1", container: "app", observe: true };

const OBSERVE_ROWS: readonly Row[] = [
  { when: "no instance is known", request: observe, observed: { instances: [] }, want: { type: "wait" } },
  { when: "the newest has ended", request: observe, observed: { instances: [makeInstance({ state: "Exited" })] }, want: { type: "wait" } },
  { when: "one runs and no hash is awaited", request: observe, want: { type: "finish" } },
  { when: "the awaited hash does not run yet", request: { ...observe, untilPlainHash: 8 }, want: { type: "wait" } },
  { when: "the awaited hash runs", request: { ...observe, untilPlainHash: 7 }, want: { type: "finish" } },
  {
    when: "env names are given and nobody has read the env",
    request: { ...observe, envNames: ["CONFIG"] },
    want: { type: "inspect", instanceId: "old" },
  },
  {
    when: "the env is wrong, which is not its business",
    request: { ...observe, envNames: ["CONFIG"] },
    observed: { envs: wrongEnv },
    want: { type: "finish" },
  },
  {
    when: "the env cannot be read",
    request: { ...observe, envNames: ["CONFIG"] },
    observed: { envs: { old: { type: "unreadable" } } },
    want: { type: "finish", result: expect.objectContaining({ phase: "Failed", reason: "EnvUnreadable" }) },
  },
  {
    when: "a containerID slipped in beside observe",
    request: { ...observe, containerID: "containerd://old", stopWhile: { envHashNot: 5 } },
    observed: { envs: wrongEnv },
    want: { type: "finish" },
  },
];

describe("decideRestart()", () => {
  test.each(STOP_ROWS)("on a stop request, when $when", ({ request = makeStop(), observed, want }) => {
    expect(decideRestart(request, makeObservation(observed))).toEqual(want);
  });

  test.each(OBSERVE_ROWS)("on an observe request, when $when", ({ request = observe, observed, want }) => {
    expect(decideRestart(request, makeObservation(observed))).toEqual(want);
  });
});
