import { describe, expect, test } from "@jest/globals";
import { toTable, wantsTable } from "../../../../src/sim/api-server/table.js";

const NOW_MS = Date.parse("2026-01-02T03:04:05Z");

function pod(fields: object = {}): Readonly<Record<string, unknown>> {
  const containerStatuses = [
    { ready: true, restartCount: 1 },
    { ready: false, restartCount: 2, state: { waiting: { reason: "ErrImagePull" } } },
  ];
  return {
    metadata: { name: "web-0", creationTimestamp: "2026-01-02T03:03:00Z", ...fields },
    spec: { containers: [{}, {}], nodeName: "node1" },
    status: { phase: "Running", podIP: "10.0.0.1", containerStatuses },
  };
}

function shown(plural: string, answer: Readonly<Record<string, unknown>>): unknown[] {
  const { rows, columnDefinitions } = toTable(plural, answer, NOW_MS) as {
    rows: readonly { cells: readonly unknown[] }[];
    columnDefinitions: readonly { name: string }[];
  };
  return [columnDefinitions.map(({ name }) => name), ...rows.map(({ cells }) => cells)];
}

describe("toTable()", () => {
  test("shows a list of pods as kubectl get pods -o wide does", () => {
    const list = { metadata: { resourceVersion: "9" }, items: [pod(), pod({ deletionTimestamp: "2026-01-02T03:04:00Z" })] };
    expect(shown("pods", list)).toEqual([
      ["Name", "Ready", "Status", "Restarts", "Age", "IP", "Node"],
      ["web-0", "1/2", "ErrImagePull", 3, "65s", "10.0.0.1", "node1"],
      ["web-0", "1/2", "Terminating", 3, "65s", "10.0.0.1", "node1"],
    ]);
    expect(toTable("pods", list, NOW_MS)).toMatchObject({ kind: "Table", metadata: { resourceVersion: "9" } });
  });

  test("shows one object as one row, with its metadata", () => {
    const secret = { metadata: { name: "a", creationTimestamp: "2026-01-01T00:00:00Z", labels: { app: "web" } } };
    expect(shown("secrets", secret)).toEqual([
      ["Name", "Age"],
      ["a", "27h"],
    ]);
    expect(toTable("secrets", secret, NOW_MS)).toMatchObject({ rows: [{ object: { metadata: { labels: { app: "web" } } } }] });
  });

  test("shows what a custom object lacks as zero or none", () => {
    expect(shown("imagepulljobs", { metadata: { name: "a" } })[1]).toEqual(["a", 0, 0, 0, 0, "<none>", "<none>"]);
  });
});

test.each([
  { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json", want: true },
  { accept: "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json", want: false },
  { accept: "application/json", want: false },
  { accept: "", want: false },
])("wantsTable() is $want for $accept", ({ accept, want }) => {
  expect(wantsTable(accept)).toBe(want);
});
