import { describe, expect, test } from "@jest/globals";
import { newestInstances, readInstance } from "../../../../src/core/container-restart/instance.js";
import { makeInstance } from "./builders.js";

const labels = { "io.kubernetes.pod.uid": "uid-1", "io.kubernetes.container.name": "app" };

function read(annotations: Readonly<Record<string, string>>) {
  return readInstance({ id: "c", state: "Running", createdAtMs: 1, labels, annotations });
}

describe("readInstance()", () => {
  test("reads what the kubelet wrote", () => {
    expect(
      read({
        "io.kubernetes.container.hash": "8e45cbd0",
        "io.kubernetes.container.restartCount": "3",
        "io.kubernetes.container.preStopHandler": '{"exec":{"command":["/drain"]}}',
        "io.kubernetes.pod.terminationGracePeriod": "45",
      }),
    ).toEqual({
      id: "c",
      podUid: "uid-1",
      container: "app",
      state: "Running",
      createdAtMs: 1,
      restartCount: 3,
      plainHash: 2386938832,
      graceSeconds: 45,
      preStop: { type: "exec", command: ["/drain"] },
    });
  });

  test.each([
    {
      when: "a deletion grace stands beside it",
      annotations: { "io.kubernetes.pod.deletionGracePeriod": "5", "io.kubernetes.pod.terminationGracePeriod": "45" },
      want: 5,
    },
    { when: "nothing is written", annotations: {}, want: 30 },
    { when: "it is 0", annotations: { "io.kubernetes.pod.terminationGracePeriod": "0" }, want: 0 },
    { when: "it is no number", annotations: { "io.kubernetes.pod.terminationGracePeriod": "-1e3" }, want: 30 },
  ])("takes $want s of grace when $when", ({ annotations, want }) => {
    expect(read(annotations as Readonly<Record<string, string>>)?.graceSeconds).toBe(want);
  });

  test.each(["", "xyz", "8e45cbd0ff"])("knows no hash from %j", (text) => {
    expect(read({ "io.kubernetes.container.hash": text })?.plainHash).toBeUndefined();
  });

  test("ignores containers that no kubelet made", () => {
    expect(readInstance({ id: "c", state: "Running", createdAtMs: 1, labels: {}, annotations: {} })).toBeUndefined();
  });
});

describe("newestInstances()", () => {
  test("takes the latest of each container by restart count, also when the clock was set back, then by creation", () => {
    const a = makeInstance({ id: "a", restartCount: 1 });
    const b = makeInstance({ id: "b", restartCount: 2, createdAtMs: a.createdAtMs - 60_000 });
    const c = makeInstance({ id: "c", container: "proxy", createdAtMs: 5 });
    const d = makeInstance({ id: "d", container: "proxy", createdAtMs: 6 });
    for (const order of [
      [a, b, c, d],
      [d, c, b, a],
    ])
      expect([...newestInstances(order).values()].map(({ id }) => id).sort()).toEqual(["b", "d"]);
  });
});
