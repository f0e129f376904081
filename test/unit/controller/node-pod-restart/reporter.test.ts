import { describe, expect, test } from "@jest/globals";
import type { Pod } from "../../../../src/api/pod.js";
import { RestartReporter } from "../../../../src/controller/node-pod-restart/reporter.js";
import type { RestartReport } from "../../../../src/core/container-restart/reports.js";
import type { EventFact } from "../../../../src/kube/event-recorder.js";
import { silentMetrics } from "../../../../src/lib/metrics.js";

const OWNER = { apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", name: "web", uid: "owner-uid", controller: true };

function makePod(uid: string): Pod {
  return { metadata: { name: `web-${uid}`, namespace: "shop", uid, ownerReferences: [OWNER] }, spec: { containers: [] } };
}

const object = { metadata: { name: "node-a", uid: "npr-uid" }, spec: {} };
const pods = new Map(["a", "b"].map((uid) => [uid, makePod(uid)]));

function start() {
  const events: EventFact[] = [];
  const silent: number[] = [];
  const gauge = { set: (value: number) => void silent.push(value), remove: () => undefined };
  const reporter = new RestartReporter({ record: (fact) => void events.push(fact) }, { ...silentMetrics, gauge: () => gauge });
  const tell = (reports: readonly RestartReport[], refused: readonly string[] = []): void =>
    reporter.tell({ object, pods, reports, refused });
  return { events, silent, reporter, tell };
}

const notResponding = (podUid: string): RestartReport => ({ reason: "AgentNotResponding", podUid, ageMs: 30_400 });

describe("RestartReporter", () => {
  test("tells pod and owner, once while the cause lasts, and again when it returns", () => {
    const { events, tell } = start();
    const report: RestartReport = { reason: "EnvNotApplied", podUid: "a", container: "app" };
    tell([report]);
    tell([report]);
    expect(events.map(({ regarding }) => regarding.kind)).toEqual(["Pod", "CloneSet"]);
    tell([]);
    tell([report]);
    expect(events).toHaveLength(4);
  });

  test("tells one owner of many pods once that the agent does not answer, with the age", () => {
    const { events, silent, reporter, tell } = start();
    tell([notResponding("a"), notResponding("b")]);
    expect(events).toEqual([
      {
        regarding: { apiVersion: OWNER.apiVersion, kind: "CloneSet", namespace: "shop", name: "web", uid: "owner-uid" },
        type: "Warning",
        reason: "AgentNotResponding",
        message: 'The agent of node "node-a" has not answered for 30 s',
      },
    ]);
    expect(silent.at(-1)).toBe(1);
    reporter.forget("node-a");
    expect(silent.at(-1)).toBe(0);
  });

  test("tells about a report that nobody asked for on the node's object", () => {
    const { events, tell } = start();
    tell([], ["foreign"]);
    tell([], ["foreign"]);
    expect(events).toMatchObject([{ reason: "ReportRefused", regarding: { kind: "NodePodRestart", name: "node-a", uid: "npr-uid" } }]);
  });

  test.each([
    {
      report: { reason: "EnvUnreadable", podUid: "a", container: "app", detail: "d" },
      want: 'Cannot compare the environment of container "app": d',
    },
    {
      report: { reason: "StopFailed", podUid: "a", container: "app", detail: "d" },
      want: 'Cannot stop the instance of container "app": d',
    },
    {
      report: { reason: "WaitingForKubelet", podUid: "a", container: "app", ageMs: 31_000 },
      want: 'The instance of container "app" was stopped, and the kubelet has started no other for 31 s',
    },
    {
      report: { reason: "TooManyRequests", podUid: "a" },
      want: 'The restart waits: the requests to node "node-a" have reached their limit',
    },
    {
      report: { reason: "RequestRefused", podUid: "a", container: "app", detail: "d" },
      want: 'The agent of node "node-a" refuses the restart of container "app": d',
    },
  ] as const)("says for $report.reason: $want", ({ report, want }) => {
    const { events, tell } = start();
    tell([report]);
    expect(events[0]?.message).toBe(want);
  });

  test("says nothing about a pod that is gone", () => {
    const { events, tell } = start();
    tell([{ reason: "EnvNotApplied", podUid: "gone", container: "app" }]);
    expect(events).toEqual([]);
  });
});
