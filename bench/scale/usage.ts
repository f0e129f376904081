import { readdirSync, readFileSync } from "node:fs";

/** What a process of this machine has used so far, as the kernel counts it. */
export interface Usage {
  /** Of all its threads. */
  readonly cpuMs: number;
  readonly rssMiB: number;
  /** The most it ever held. */
  readonly peakRssMiB: number;
}

/** Reads the kernel's counts. @throws if the process is gone */
export function usageOf(pid: number): Usage {
  const tasks = `/proc/${String(pid)}/task`;
  const cpuNs = readdirSync(tasks).reduce((sum, task) => sum + runNs(`${tasks}/${task}/schedstat`), 0);
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  return { cpuMs: cpuNs / 1e6, rssMiB: mib(status, "VmRSS"), peakRssMiB: mib(status, "VmHWM") };
}

/** Nanoseconds on a processor; 0 for a thread that has just ended. */
function runNs(path: string): number {
  try {
    return Number(readFileSync(path, "utf8").split(" ")[0]);
  } catch {
    return 0;
  }
}

function mib(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
}
