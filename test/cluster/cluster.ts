import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { daemonPid } from "./daemon.js";
import { clusterEnvironment } from "./exec.js";
import { NETWORK } from "./network.js";
import { runInNode } from "./node.js";
import { type RunOptions, run, runShown } from "./shell.js";
import { clusterPaths, readRecord } from "./state.js";

// What tests and benchmarks use of the cluster that PODMEND_CLUSTER names. All of it works both inside `cluster:exec` and outside.

const MAIN = join(import.meta.dirname, "main.ts");

/** Makes the cluster run with at least so many nodes; quick when it does. */
export async function ensureCluster(options: { readonly nodes: number }): Promise<void> {
  const tsx = join(dirname(createRequire(import.meta.url).resolve("tsx/package.json")), "dist/cli.mjs");
  await runShown(process.execPath, [tsx, MAIN, "up", "--nodes", String(options.nodes)]);
}

/** The names of the nodes, in the order of their numbers. */
export function nodeNames(): readonly string[] {
  return readRecord(clusterPaths())?.nodes ?? [];
}

/** A process that lives in the node's mount and network namespaces. */
export function nodePid(node: string): number {
  return daemonPid(clusterPaths(), node);
}

/** The node's containerd socket, as a path that works from outside the node. */
export function runtimeSocket(node: string): string {
  return `/proc/${nodePid(node)}/root/run/containerd/containerd.sock`;
}

/** The API server's audit log at level Metadata: one JSON object a line. */
export function auditLog(): string {
  return clusterPaths().auditLog;
}

/** Runs a program where the cluster is reachable, with KUBECONFIG and kubectl, and gives its output. @throws Error when it fails */
export function execInCluster(command: readonly string[], options: Pick<RunOptions, "input"> = {}): Promise<string> {
  const paths = clusterPaths();
  return run("nsenter", ["-t", String(daemonPid(paths, NETWORK)), "-n", "--", ...command], { ...options, env: clusterEnvironment(paths) });
}

/** Runs a program inside a node's namespaces and gives its output. @throws Error when it fails */
export function execInNode(node: string, command: readonly string[]): Promise<string> {
  return runInNode(clusterPaths(), node, command);
}

/** Stops a node's kubelet in its tracks (SIGSTOP); whoever calls this also calls {@link resumeKubelet}, in a `finally`. */
export function pauseKubelet(node: string): void {
  process.kill(daemonPid(clusterPaths(), `${node}/kubelet`), "SIGSTOP");
}

/** Lets a paused kubelet go on. */
export function resumeKubelet(node: string): void {
  process.kill(daemonPid(clusterPaths(), `${node}/kubelet`), "SIGCONT");
}
