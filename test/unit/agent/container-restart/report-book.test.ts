import { describe, expect, test } from "@jest/globals";
import { ReportBook } from "../../../../src/agent/container-restart/report-book.js";
import type { NodePodRestart } from "../../../../src/api/node-pod-restart.js";

const facts = { name: "app", containerID: "containerd://a", restartCount: 0, state: "Running" } as const;
const written: NodePodRestart = {
  metadata: { name: "node-a" },
  spec: {},
  status: {
    podRestartStatuses: [
      { uid: "uid-1", results: [{ id: "r1", phase: "Stopping" }], containers: [facts] },
      { uid: "uid-2", results: [{ id: "r2", phase: "Stopped" }] },
    ],
  },
};

describe("ReportBook", () => {
  test("goes on with what an earlier life of the agent wrote about just this pod", () => {
    const book = new ReportBook(() => written);
    expect(book.of("uid-2")).toEqual({ results: new Map([["r2", { id: "r2", phase: "Stopped" }]]), containers: [] });
    expect(book.of("uid-3")).toEqual({ results: new Map(), containers: [] });
    expect(book.reports.size).toBe(0);
  });

  test("adds to it, and drops what nobody asks for any more", () => {
    const book = new ReportBook(() => written);
    book.setResult("uid-1", { id: "r9", phase: "Waiting" });
    expect([...book.of("uid-1").results.keys()]).toEqual(["r1", "r9"]);
    expect(book.of("uid-1").containers).toEqual([facts]);
    book.keepResults("uid-1", new Set(["r9"]));
    expect([...book.of("uid-1").results.keys()]).toEqual(["r9"]);
    book.forget("uid-1");
    expect(book.reports.size).toBe(0);
  });
});
