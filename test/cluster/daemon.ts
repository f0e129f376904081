import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { identify, isRunning, type ProcessIdentity } from "./process-identity.js";
import { type ClusterPaths, readRecord, writeRecord } from "./state.js";
import { trackedCommand } from "./tracking-group.js";

/** A program that stays in the background. */
export type Daemon = {
  /** Unique within the cluster, e.g. "etcd" or "node1/kubelet". */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** A process whose namespaces the program shall live in; ours when absent. */
  readonly within?: { readonly pid: number; readonly namespaces: readonly string[] };
};

/** Starts a program in the background, inside the instance's tracking group, with its output in a file of its own; and records it. */
export function startDaemon(paths: ClusterPaths, daemon: Daemon): ProcessIdentity {
  const log = logFile(paths, daemon.name);
  mkdirSync(dirname(log), { recursive: true });
  const output = openSync(log, "a");
  const child = spawn("/bin/sh", trackedCommand(paths, commandLine(daemon)), {
    cwd: "/",
    detached: true,
    env: { ...process.env, ...daemon.env },
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (identity === undefined) throw new Error(`Cannot start "${daemon.name}": ended at once, see ${log}`);
  child.unref();
  const record = readRecord(paths) ?? { complete: false, nodes: [], processes: {} };
  writeRecord(paths, { ...record, complete: false, processes: { ...record.processes, [daemon.name]: identity } });
  return identity;
}

/** The pid of a background program that runs. @throws Error when it does not */
export function daemonPid(paths: ClusterPaths, name: string): number {
  const identity = readRecord(paths)?.processes[name];
  if (identity === undefined || !isRunning(identity)) throw new Error(`Cannot use cluster "${paths.instance}": "${name}" is not running`);
  return identity.pid;
}

/** Why a started program cannot become ready any more, with the end of its output; undefined while it runs. */
export function daemonFailure(paths: ClusterPaths, name: string): string | undefined {
  const identity = readRecord(paths)?.processes[name];
  if (identity !== undefined && isRunning(identity)) return undefined;
  return `ended; the end of its output:\n${readFileSync(logFile(paths, name), "utf8").slice(-2000)}`;
}

/** Where a background program's output is. */
export function logFile(paths: ClusterPaths, name: string): string {
  return join(paths.logs, `${name.replace("/", "-")}.log`);
}

function commandLine({ command, args, within }: Daemon): readonly string[] {
  return within === undefined ? [command, ...args] : ["nsenter", "-t", String(within.pid), ...within.namespaces, command, ...args];
}
