import type { StepResult } from "./steps.js";

/** What the table compares. */
export interface Comparison {
  readonly inPlace: StepResult;
  readonly inPlaceBefore: StepResult;
  readonly recreate: StepResult;
  readonly recreateBefore: StepResult;
}

/** The lines of the table at the end: in place beside recreate. */
export function tableLines({ inPlace, inPlaceBefore, recreate, recreateBefore }: Comparison): readonly string[] {
  const row = (name: string, of: (now: StepResult, before: StepResult) => string): readonly string[] => [
    name,
    of(inPlace, inPlaceBefore),
    of(recreate, recreateBefore),
  ];
  const change = (a: unknown, b: unknown): string => (a === b ? `${String(b)} (same)` : `${String(b)} (new)`);
  return padded([
    ["", "in place", "recreate"],
    row("UID", (now, before) => change(before.pod.uid, now.pod.uid)),
    row("IP", (now, before) => change(before.pod.ip, now.pod.ip)),
    row("sidecar PID", (now, before) => change(before.pod.sidecarPid, now.pod.sidecarPid)),
    row("connection", ({ isConnectionKept }) => (isConnectionKept ? "kept" : "broken")),
    row("seconds", ({ cost }) => String(cost?.seconds)),
    row("pulls", ({ cost }) => String(cost?.pulls)),
    row("API writes", ({ cost }) => String(cost?.apiWrites)),
  ]);
}

function padded(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("   ")
      .trimEnd(),
  );
}
