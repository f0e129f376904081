import { describe, expect, test } from "@jest/globals";
import { parseContainerId } from "../../../../src/core/container-restart/container-id.js";
import { containerFacts } from "../../../../src/core/container-restart/facts.js";
import { lookAgainMs } from "../../../../src/core/container-restart/look-again.js";
import { buildNodeStatus } from "../../../../src/core/container-restart/node-status.js";
import { readUpdateRequestId, updateRequestId } from "../../../../src/core/container-restart/request-id.js";
import { refusedReports, trustedReport } from "../../../../src/core/container-restart/trusted-report.js";
import { makeInstance, makeNodeObject, makeStop } from "./builders.js";
import { makeFacts, makePod } from "./request-builders.js";

const podRestarts = [{ namespace: "shop", name: "web-0", uid: "uid-1", requests: [makeStop()] }];
const entry = { uid: "uid-1", results: [{ id: "r1", phase: "Stopped" as const }], containers: [makeFacts()] };

describe("trustedReport()", () => {
  const object = makeNodeObject({ podRestarts, status: { observedGeneration: 1, podRestartStatuses: [entry] } });

  test("is the entry of a pod of this node that the spec names", () => {
    expect(trustedReport(object, makePod())).toEqual(entry);
  });

  test.each([
    { why: "the pod runs on another node", object, pod: makePod({ nodeName: "node-b" }) },
    { why: "the pod has another uid", object, pod: makePod({ uid: "uid-2" }) },
    { why: "the spec does not name the pod", object: { ...object, spec: { podRestarts: [] } }, pod: makePod() },
    { why: "there is no object", object: undefined, pod: makePod() },
  ])("is nothing when $why", ({ object: given, pod }) => {
    expect(trustedReport(given, pod)).toBeUndefined();
  });
});

describe("refusedReports()", () => {
  test("names pods that the spec the agent has seen does not name", () => {
    const status = { observedGeneration: 3, podRestartStatuses: [entry, { uid: "foreign" }] };
    expect(refusedReports(makeNodeObject({ generation: 3, podRestarts, status }))).toEqual(["foreign"]);
  });

  test("names nobody while the agent has not seen the latest spec", () => {
    const status = { observedGeneration: 2, podRestartStatuses: [entry] };
    expect(refusedReports(makeNodeObject({ generation: 3, status }))).toEqual([]);
  });
});

describe("buildNodeStatus()", () => {
  const report = {
    results: new Map([
      ["r1", { id: "r1", phase: "Stopping" as const }],
      ["gone", { id: "gone", phase: "Stopped" as const }],
    ]),
    containers: [],
  };

  test("keeps results of ids that the spec names, and drops the others", () => {
    expect(buildNodeStatus(makeNodeObject({ generation: 4, podRestarts }), new Map([["uid-1", report]]))).toEqual({
      observedGeneration: 4,
      podRestartStatuses: [{ uid: "uid-1", results: [{ id: "r1", phase: "Stopping" }], containers: [] }],
    });
  });

  test("keeps what an earlier life wrote about a pod that nobody has looked at yet", () => {
    const status = { observedGeneration: 1, podRestartStatuses: [entry] };
    expect(buildNodeStatus(makeNodeObject({ podRestarts, status }), new Map()).podRestartStatuses).toEqual([entry]);
  });

  test.each([
    { own: undefined, written: "Stopping", told: "Stopping" },
    { own: "Waiting", written: "Stopping", told: "Stopping" },
    { own: "Stopping", written: "Stopped", told: "Stopped" },
    { own: "Stopping", written: "Waiting", told: "Stopping" },
    { own: "Failed", written: "Stopped", told: "Failed" },
  ] as const)("forgets nothing that another life of the agent has written: own $own, written $written", ({ own, written, told }) => {
    const results = new Map(own === undefined ? [] : [["r1", { id: "r1", phase: own }]]);
    const status = { observedGeneration: 1, podRestartStatuses: [{ uid: "uid-1", results: [{ id: "r1", phase: written }] }] };
    const built = buildNodeStatus(makeNodeObject({ podRestarts, status }), new Map([["uid-1", { results, containers: [] }]]));
    expect(built.podRestartStatuses?.[0]?.results).toEqual([{ id: "r1", phase: told }]);
  });

  test("tells of containers only while the same is asked about the pod as when they were looked at", () => {
    const looked = { ...report, containers: [makeFacts()], askedIds: new Set(["r1"]) };
    const told = (ids: readonly string[]) => {
      const asked = [{ namespace: "shop", name: "web-0", uid: "uid-1", requests: ids.map((id) => makeStop({ id })) }];
      return buildNodeStatus(makeNodeObject({ podRestarts: asked }), new Map([["uid-1", looked]])).podRestartStatuses?.[0]?.containers;
    };
    expect(told(["r1"])).toEqual([makeFacts()]);
    expect(told(["r1", "r2"])).toEqual([]);
    expect(told(["r2"])).toBeUndefined();
  });

  test("does not vouch in a new generation for containers that an earlier life looked at in another one", () => {
    const status = { observedGeneration: 1, podRestartStatuses: [entry] };
    expect(buildNodeStatus(makeNodeObject({ generation: 2, podRestarts, status }), new Map())).toEqual({
      observedGeneration: 2,
      podRestartStatuses: [{ ...entry, containers: [] }],
    });
  });

  test("shrinks with the spec", () => {
    const status = { observedGeneration: 1, podRestartStatuses: [entry] };
    expect(buildNodeStatus(makeNodeObject({ generation: 2, status }), new Map([["uid-1", report]]))).toEqual({
      observedGeneration: 2,
      podRestartStatuses: [],
    });
  });

  test("has no entry for a pod about which nothing is known", () => {
    expect(buildNodeStatus(makeNodeObject({ podRestarts }), new Map()).podRestartStatuses).toEqual([]);
  });
});

describe("containerFacts()", () => {
  test("tells of the newest instance of each container, by name", () => {
    const instances = [
      makeInstance({ id: "p", container: "proxy" }),
      makeInstance({ id: "a" }),
      makeInstance({ id: "b", createdAtMs: 9_000, restartCount: 1, plainHash: undefined }),
    ];
    const facts = containerFacts({ runtimeName: "cri-o", instances, envHashOf: ({ id }) => (id === "b" ? 5 : undefined) });
    expect(facts).toEqual([
      { name: "app", containerID: "cri-o://b", restartCount: 1, state: "Running", envHash: 5 },
      { name: "proxy", containerID: "cri-o://p", restartCount: 0, state: "Running", plainHash: 7 },
    ]);
  });
});

describe("updateRequestId()", () => {
  const line = { revision: "web-7cb569c9cc", container: "app" };
  const parts = { instanceId: "f603a1b2c3d4e5f6", attempt: 2, generation: 41 };

  test("is read back by its own line only", () => {
    const id = updateRequestId({ ...line, ...parts });
    expect(id).toBe("update/web-7cb569c9cc/app/f603a1b2c3d4/2/41");
    expect(readUpdateRequestId(id, line)).toEqual({ ...parts, instanceId: "f603a1b2c3d4" });
    expect(readUpdateRequestId(id, { ...line, container: "ap" })).toBeUndefined();
    expect(readUpdateRequestId(id, { ...line, revision: "web-other" })).toBeUndefined();
    expect(readUpdateRequestId("update/web-7cb569c9cc/app/x/y/z", line)).toBeUndefined();
  });

  test("is the same after a round through the API server, whatever text stands for the revision in the pod's annotation", () => {
    const odd = { ...line, ...parts, revision: `${"r".repeat(70)}\u{1f600}${"r".repeat(63)}` }; // cut in the middle of a character
    const id = updateRequestId(odd);
    expect(new TextDecoder().decode(new TextEncoder().encode(id))).toBe(id);
    expect(readUpdateRequestId(id, odd)).toMatchObject({ attempt: parts.attempt });
  });

  test("stays within the schema's 253 characters whatever the names", () => {
    const id = updateRequestId({
      revision: "r".repeat(253),
      container: "c".repeat(63),
      instanceId: "i".repeat(64),
      attempt: 3,
      generation: 2 ** 53,
    });
    expect(id.length).toBeLessThanOrEqual(253);
  });
});

describe("parseContainerId()", () => {
  test.each([
    { text: "containerd://f603", want: { runtimeName: "containerd", id: "f603" } },
    { text: "containerd://", want: undefined },
    { text: "://f603", want: undefined },
    { text: "f603", want: undefined },
    { text: "a b://f603", want: undefined },
    { text: "Docker://f603", want: undefined },
    { text: `containerd://${"f".repeat(240)}`, want: { runtimeName: "containerd", id: "f".repeat(240) } },
    { text: `containerd://${"f".repeat(241)}`, want: undefined },
    { text: "", want: undefined },
  ])("of $text", ({ text, want }) => {
    expect(parseContainerId(text)).toEqual(want);
  });
});

describe("lookAgainMs()", () => {
  test.each([
    { waitedMs: 0, want: 100 },
    { waitedMs: 29_999, want: 100 },
    { waitedMs: 30_000, want: 1_000 },
    { waitedMs: 299_999, want: 1_000 },
    { waitedMs: 300_000, want: 5_000 },
  ])("is $want after $waitedMs ms", ({ waitedMs, want }) => {
    expect(lookAgainMs(waitedMs)).toBe(want);
  });
});
