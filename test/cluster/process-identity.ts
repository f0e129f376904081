import { readFileSync } from "node:fs";

/** A process that cannot be mistaken for a later one with the same pid. */
export type ProcessIdentity = {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process. */
  readonly startTicks: string;
};

/** The identity of a running process, or undefined where there is none (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | undefined {
  const fields = statFields(pid);
  const state = fields?.[0];
  const startTicks = fields?.[19];
  return state === undefined || state === "Z" || state === "X" || startTicks === undefined ? undefined : { pid, startTicks };
}

/** Whether that very process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startTicks === identity.startTicks;
}

/** The process, its parent, and so on up to the first one. */
export function ancestors(pid: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (let current = pid; current > 0 && !found.has(current); current = Number(statFields(current)?.[1] ?? 0)) found.add(current);
  return found;
}

/** The fields of /proc/PID/stat from the third (state) on: the second, the name, may hold blanks and brackets. */
function statFields(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
