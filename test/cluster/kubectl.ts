import { join } from "node:path";
import { daemonPid } from "./daemon.js";
import { NETWORK } from "./network.js";
import { type RunOptions, run, succeeds } from "./shell.js";
import type { ClusterPaths } from "./state.js";

/** Runs kubectl as administrator inside the lab and gives its output. */
export function kubectl(paths: ClusterPaths, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return run("nsenter", commandLine(paths, args), options);
}

/** Whether the API server says that it is ready. */
export function isApiReady(paths: ClusterPaths): Promise<boolean> {
  return succeeds("nsenter", commandLine(paths, ["--request-timeout=5s", "get", "--raw", "/readyz"]));
}

function commandLine(paths: ClusterPaths, args: readonly string[]): readonly string[] {
  return ["-t", String(daemonPid(paths, NETWORK)), "-n", join(paths.bin, "kubectl"), `--kubeconfig=${paths.kubeconfig}`, ...args];
}
