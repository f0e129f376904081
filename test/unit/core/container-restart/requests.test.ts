import { describe, expect, test } from "@jest/globals";
import type { NodePodRestart, RestartRequest } from "../../../../src/api/node-pod-restart.js";
import { MAX_PODS } from "../../../../src/core/container-restart/limits.js";
import { buildPodRestarts, type NodeSituation } from "../../../../src/core/container-restart/requests.js";
import { makeNodeObject } from "./builders.js";
import { makeFacts, makePending, makePod, makeSituation, makeStatus, makeWish, withReport, written } from "./request-builders.js";

/** Builds, and gives the requests of the first pod as they would stand after a needed write. */
function requestsOf(situation: NodeSituation): readonly RestartRequest[] {
  const built = buildPodRestarts(situation).podRestarts ?? situation.previous.spec.podRestarts;
  return built?.[0]?.requests ?? [];
}

function only(situation: NodeSituation): RestartRequest {
  const requests = requestsOf(situation);
  expect(requests).toHaveLength(1);
  return requests[0] as RestartRequest;
}

/** The node object that asks to stop c0 for the revision, as the first round writes it. */
function afterFirstRound(overrides: Partial<NodeSituation> = {}): NodePodRestart {
  const situation = makeSituation(overrides);
  return written(situation.previous, buildPodRestarts(situation).podRestarts);
}

const wrongSuccessor = makeFacts({ containerID: "containerd://c1", restartCount: 1 });

describe("buildPodRestarts(), while the cache of pods cannot follow", () => {
  test("asks for nothing new, and looks again", () => {
    expect(buildPodRestarts(makeSituation({ arePodsOld: true }))).toMatchObject({ podRestarts: undefined, requeueAfterMs: 500 });
  });

  test("keeps what it has asked for", () => {
    const previous = afterFirstRound();
    expect(buildPodRestarts(makeSituation({ previous, arePodsOld: true }))).toMatchObject({ podRestarts: undefined });
  });

  test("takes back what nobody wants any more, and asks for nothing new with it", () => {
    const previous = afterFirstRound();
    const wishes = [makeWish({ revision: "web-other" })];
    expect(buildPodRestarts(makeSituation({ previous, wishes })).podRestarts).toHaveLength(1);
    expect(buildPodRestarts(makeSituation({ previous, wishes, arePodsOld: true })).podRestarts).toEqual([]);
  });
});

describe("buildPodRestarts(), an env change", () => {
  test("asks to stop the instance of pod status while its env is not the wanted one", () => {
    expect(only(makeSituation())).toEqual({
      id: "update/web-abc/app/c0/1/2",
      container: "app",
      containerID: "containerd://c0",
      envNames: ["CONFIG"],
      stopWhile: { envHashNot: 5 },
      runPreStop: true,
    });
  });

  test("names the agent's instance where the report is ahead of pod status", () => {
    const previous = withReport(afterFirstRound({ wishes: [makeWish({ revision: "web-old" })] }), { containers: [wrongSuccessor] });
    expect(only(makeSituation({ previous }))).toMatchObject({ containerID: "containerd://c1" });
  });

  test.each([0, 3])("names the instance of pod status where the report is not ahead: restart %i to the report's 0", (restartCount) => {
    const previous = withReport(afterFirstRound({ wishes: [makeWish({ revision: "web-old" })] }), { containers: [makeFacts()] });
    const pod = makePod({ statuses: [makeStatus({ containerID: "containerd://c9", restartCount })] });
    expect(only(makeSituation({ previous, wishes: [makeWish({ pod })] }))).toMatchObject({ containerID: "containerd://c9" });
  });

  test.each(["gone", "A B://c0", `containerd://${"c".repeat(250)}`])(
    "names no instance whose ID the API server would refuse, and all other pods with it: %s",
    (containerID) => {
      const pod = makePod({ statuses: [makeStatus({ containerID })] });
      expect(only(makeSituation({ wishes: [makeWish({ pod })] }))).toMatchObject({ observe: true, container: "app" });
    },
  );

  test("needs no further write while the request stands", () => {
    const previous = afterFirstRound();
    expect(buildPodRestarts(makeSituation({ previous })).podRestarts).toBeUndefined();
  });

  test("asks anew for the same instance when somebody edits the metadata, as the same attempt", () => {
    const previous = afterFirstRound();
    const wishes = [makeWish({ pending: [makePending({ expectedEnvHash: 6 })] })];
    expect(only(makeSituation({ previous, wishes }))).toMatchObject({ id: "update/web-abc/app/c0/1/3", stopWhile: { envHashNot: 6 } });
  });

  test("asks anew for another revision, counting from one", () => {
    const previous = withReport(afterFirstRound(), { containers: [wrongSuccessor] });
    expect(only(makeSituation({ previous, wishes: [makeWish({ revision: "web-next" })] })).id).toBe("update/web-next/app/c1/1/3");
  });

  test("keeps the spent request when the next instance has the wanted env", () => {
    const previous = withReport(afterFirstRound(), { containers: [{ ...wrongSuccessor, envHash: 5 }] });
    expect(buildPodRestarts(makeSituation({ previous })).podRestarts).toBeUndefined();
  });

  test("makes the agent look again at an instance that pod status shows and nobody has reported, after 1 s", () => {
    const previous = withReport(afterFirstRound(), { containers: [{ ...wrongSuccessor, envHash: 5 }] });
    const pod = makePod({ statuses: [makeStatus({ containerID: "containerd://c2", restartCount: 2 })] });
    const first = buildPodRestarts(makeSituation({ previous, wishes: [makeWish({ pod })] }));
    expect(first).toMatchObject({ podRestarts: undefined, requeueAfterMs: 1_000 });
    const later = makeSituation({ previous, wishes: [makeWish({ pod })], nowMs: 1_000, sightings: first.sightings });
    expect(only(later)).toEqual({
      id: "update/web-abc/app/c2/1/3",
      container: "app",
      observe: true,
      untilPlainHash: 70,
      envNames: ["CONFIG"],
    });
    const again = makeSituation({ ...later, previous: written(previous, buildPodRestarts(later).podRestarts), nowMs: 9_000 });
    expect(buildPodRestarts(again).podRestarts).toBeUndefined();
  });
});

describe("buildPodRestarts(), when the next instance has the wrong env", () => {
  test("waits 2 s, then 4 s, then reports EnvNotApplied after the third", () => {
    let previous = afterFirstRound();
    let nowMs = 0;
    for (const [attempt, waitMs] of [
      [1, 2_000],
      [2, 4_000],
    ] as const) {
      previous = withReport(previous, { containers: [makeFacts({ containerID: `containerd://c${attempt}`, restartCount: attempt })] });
      const first = buildPodRestarts(makeSituation({ previous, nowMs }));
      expect(first).toMatchObject({ podRestarts: undefined, requeueAfterMs: waitMs, reports: [] });
      const early = makeSituation({ previous, nowMs: nowMs + waitMs - 1, sightings: first.sightings });
      expect(buildPodRestarts(early)).toMatchObject({ podRestarts: undefined, requeueAfterMs: 1 });
      nowMs += waitMs;
      const due = makeSituation({ previous, nowMs, sightings: first.sightings });
      expect(only(due)).toMatchObject({
        id: `update/web-abc/app/c${attempt}/${attempt + 1}/${attempt + 2}`,
        containerID: `containerd://c${attempt}`,
      });
      previous = written(previous, buildPodRestarts(due).podRestarts);
    }
    previous = withReport(previous, { containers: [makeFacts({ containerID: "containerd://c3", restartCount: 3 })] });
    for (const laterMs of [0, 60_000, 3_600_000])
      expect(buildPodRestarts(makeSituation({ previous, nowMs: nowMs + laterMs }))).toMatchObject({
        podRestarts: undefined,
        reports: [{ reason: "EnvNotApplied", podUid: "uid-1", container: "app" }],
      });
  });

  const started = { name: "app", containerID: "containerd://c1", restartCount: 1, plainHash: 70 } as const;

  test.each([
    { while: "its env has not been read", successor: { ...started, state: "Running" } },
    { while: "it has ended, for the kubelet starts another", successor: { ...started, state: "Exited", envHash: 4 } },
  ] as const)("asks for no stop of the newest instance while $while, however long", ({ successor }) => {
    const previous = withReport(afterFirstRound(), { containers: [successor] });
    const first = buildPodRestarts(makeSituation({ previous }));
    const later = buildPodRestarts(makeSituation({ previous, nowMs: 1e6, sightings: first.sightings }));
    for (const built of [first, later]) expect(built).toMatchObject({ podRestarts: undefined, reports: [] });
  });

  test("starts the wait over, but counts on, after a crash of the controller", () => {
    const previous = withReport(afterFirstRound(), { containers: [wrongSuccessor] });
    expect(buildPodRestarts(makeSituation({ previous, nowMs: 1e9 }))).toMatchObject({ podRestarts: undefined, requeueAfterMs: 2_000 });
  });
});

describe("buildPodRestarts(), an image change", () => {
  const both = [makeWish({ pending: [makePending({ reason: "both" })] })];
  const observe = { container: "app", observe: true, untilPlainHash: 70 };

  test("only observes", () => {
    const wishes = [makeWish({ pending: [makePending({ reason: "image", envNames: [] })] })];
    expect(only(makeSituation({ wishes }))).toEqual({ id: "update/web-abc/app/c0/0/2", ...observe });
  });

  test("only observes when the env changes too, as long as the old instance runs", () => {
    const previous = withReport(afterFirstRound({ wishes: both }), { containers: [makeFacts({ plainHash: 69 })] });
    expect(buildPodRestarts(makeSituation({ previous, wishes: both })).podRestarts).toBeUndefined();
    expect(previous.spec.podRestarts?.[0]?.requests).toEqual([{ id: "update/web-abc/app/c0/0/2", ...observe, envNames: ["CONFIG"] }]);
  });

  test("stops nothing when the new instance has the wanted env", () => {
    const previous = withReport(afterFirstRound({ wishes: both }), { containers: [{ ...wrongSuccessor, envHash: 5 }] });
    expect(buildPodRestarts(makeSituation({ previous, wishes: both })).podRestarts).toBeUndefined();
  });

  test("stops the new instance when it has the wanted image and the wrong env", () => {
    const previous = withReport(afterFirstRound({ wishes: both }), { containers: [wrongSuccessor] });
    expect(only(makeSituation({ previous, wishes: both }))).toMatchObject({
      id: "update/web-abc/app/c1/1/3",
      containerID: "containerd://c1",
      stopWhile: { envHashNot: 5 },
    });
  });

  test("observes a container that has no instance yet", () => {
    const pod = makePod({ statuses: [] });
    expect(only(makeSituation({ wishes: [makeWish({ pod })] }))).toMatchObject({ id: "update/web-abc/app//0/2", ...observe });
  });

  test("asks for the facts of a container that does not change, and never stops it", () => {
    const wishes = [makeWish({ pending: [makePending({ reason: "facts" })] })];
    const previous = withReport(afterFirstRound({ wishes }), { containers: [makeFacts()] });
    expect(previous.spec.podRestarts?.[0]?.requests).toEqual([
      { id: "update/web-abc/app/c0/0/2", container: "app", observe: true, envNames: ["CONFIG"] },
    ]);
    expect(buildPodRestarts(makeSituation({ previous, wishes })).podRestarts).toBeUndefined();
  });

  test("disarms the stop of a container that became a mere bystander", () => {
    const wishes = [makeWish({ pending: [makePending({ reason: "facts" })] })];
    expect(only(makeSituation({ previous: afterFirstRound(), wishes }))).toEqual({
      id: "update/web-abc/app/c0/1/3",
      container: "app",
      observe: true,
      envNames: ["CONFIG"],
    });
  });
});

describe("buildPodRestarts(), requests that nobody needs any more", () => {
  const none: readonly never[] = [];
  const pods = new Map([["uid-1", makePod()]]);

  test("are withdrawn at once if they still arm a stop", () => {
    expect(buildPodRestarts(makeSituation({ previous: afterFirstRound(), wishes: none, pods })).podRestarts).toEqual([]);
  });

  test("are withdrawn at once if one of several still arms a stop", () => {
    const wish = makeWish({ pending: [makePending(), makePending({ container: "side" })] });
    const pod = {
      ...wish.pod,
      status: { containerStatuses: [makeStatus(), makeStatus({ name: "side", containerID: "containerd://s0" })] },
    };
    const armed = afterFirstRound({ wishes: [{ ...wish, pod }] });
    const id = armed.spec.podRestarts?.[0]?.requests[0]?.id ?? "";
    expect(armed.spec.podRestarts?.[0]?.requests).toHaveLength(2);
    const previous = withReport(armed, { results: [{ id, phase: "Stopped" }], containers: [makeFacts()] });
    expect(buildPodRestarts(makeSituation({ previous, wishes: none, pods: new Map([["uid-1", pod]]) })).podRestarts).toEqual([]);
  });

  test.each(["Stopped", "Skipped", "Failed"] as const)("go in one sweep after 60 s when they are %s", (phase) => {
    const armed = afterFirstRound();
    const id = armed.spec.podRestarts?.[0]?.requests[0]?.id ?? "";
    const previous = withReport(armed, { results: [{ id, phase }], containers: [makeFacts()] });
    const first = buildPodRestarts(makeSituation({ previous, wishes: none, pods }));
    expect(first).toMatchObject({ podRestarts: undefined, requeueAfterMs: 60_000 });
    const early = makeSituation({ previous, wishes: none, pods, nowMs: 59_999, sightings: first.sightings });
    expect(buildPodRestarts(early).podRestarts).toBeUndefined();
    expect(buildPodRestarts({ ...early, nowMs: 60_000 }).podRestarts).toEqual([]);
  });

  test("go with the next write that is needed", () => {
    const spent = withReport(afterFirstRound(), { containers: [{ ...wrongSuccessor, envHash: 5 }] });
    const other = makePod({ uid: "uid-2" });
    const built = buildPodRestarts(
      makeSituation({ previous: spent, wishes: [makeWish({ pod: other })], pods: new Map([...pods, ["uid-2", other]]) }),
    );
    expect(built.podRestarts?.map(({ uid }) => uid)).toEqual(["uid-2"]);
  });

  test("go in the sweep when their pod is gone", () => {
    const first = buildPodRestarts(makeSituation({ previous: afterFirstRound(), wishes: none, pods: new Map() }));
    expect(first).toMatchObject({ podRestarts: undefined, requeueAfterMs: 60_000 });
  });

  test("settled pods and an empty object need no write and no further look", () => {
    expect(buildPodRestarts(makeSituation({ wishes: none, pods }))).toMatchObject({
      podRestarts: undefined,
      requeueAfterMs: undefined,
      reports: [],
    });
  });
});

describe("buildPodRestarts(), limits of the object", () => {
  test("lets pods that have a place keep it, and says of the rest that it waits", () => {
    const wishes = Array.from({ length: MAX_PODS + 1 }, (_, index) =>
      makeWish({ pod: makePod({ uid: `uid-${String(index).padStart(4, "0")}` }) }),
    );
    const last = wishes.at(-1);
    const previous = afterFirstRound({ wishes: last === undefined ? [] : [last] });
    const built = buildPodRestarts(makeSituation({ previous, wishes }));
    expect(built.podRestarts).toHaveLength(MAX_PODS);
    expect(built.podRestarts?.[0]?.uid).toBe("uid-0512");
    expect(built.reports).toEqual([{ reason: "TooManyRequests", podUid: "uid-0511" }]);
  });

  test("serves containers that must restart before mere bystanders", () => {
    const bystanders = Array.from({ length: 16 }, (_, index) => makePending({ container: `a${index}`, reason: "facts" }));
    const wishes = [makeWish({ pending: [...bystanders, makePending({ container: "z" })] })];
    const requests = requestsOf(makeSituation({ wishes }));
    expect(requests).toHaveLength(16);
    expect(requests[0]?.container).toBe("z");
  });

  test("leaves out what the API server would refuse, so that one pod cannot block the node", () => {
    const wishes = [makeWish({ pending: [makePending({ envNames: ["x".repeat(513)] })] }), makeWish({ pod: makePod({ uid: "uid-2" }) })];
    const built = buildPodRestarts(makeSituation({ wishes }));
    expect(built.podRestarts?.map(({ requests }) => requests.length)).toEqual([0, 1]);
    expect(built.reports).toEqual([{ reason: "TooManyRequests", podUid: "uid-1", container: "app" }]);
  });

  test("ignores a report about a pod of another node", () => {
    const pod = makePod({ nodeName: "node-b" });
    const previous = withReport(afterFirstRound({ wishes: [makeWish({ pod })] }), { containers: [wrongSuccessor] });
    expect(buildPodRestarts(makeSituation({ previous, wishes: [makeWish({ pod })] })).requeueAfterMs).toBeUndefined();
  });

  test("builds on an object without a generation", () => {
    const { generation, ...metadata } = makeNodeObject().metadata;
    expect(generation).toBe(1);
    expect(only(makeSituation({ previous: { metadata, spec: {} } })).id).toBe("update/web-abc/app/c0/1/1");
  });
});
