import { spawn } from "node:child_process";
import { daemonPid } from "./daemon.js";
import { NETWORK } from "./network.js";
import { type ClusterPaths, readRecord } from "./state.js";

/** How a program ended. */
export type ProgramEnd = { readonly exitCode: number } | { readonly signal: NodeJS.Signals };

const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** The environment in which programs reach the cluster; README.md beside this file says which variables it has. */
export function clusterEnvironment(paths: ClusterPaths): NodeJS.ProcessEnv {
  const nodes = readRecord(paths)?.nodes ?? [];
  return {
    ...process.env,
    PODMEND_CLUSTER: paths.instance,
    KUBECONFIG: paths.kubeconfig,
    PATH: `${paths.bin}:${process.env["PATH"] ?? ""}`,
    NODE_PIDS: nodes.map((node) => `${node}=${daemonPid(paths, node)}`).join(","),
    AUDIT_LOG: paths.auditLog,
  };
}

/** Runs a program in the lab's network namespace with our standard streams, passes signals on, and gives how it ended. */
export function execute(paths: ClusterPaths, command: readonly string[]): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const args = ["-t", String(daemonPid(paths, NETWORK)), "-n", "--", ...command];
    const child = spawn("nsenter", args, { env: clusterEnvironment(paths), stdio: "inherit" });
    for (const signal of FORWARDED_SIGNALS) process.on(signal, () => isFromTerminal(signal) || child.kill(signal));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve(signal === null ? { exitCode: code ?? 1 } : { signal });
    });
  });
}

/** A terminal sends these to the whole process group, the program included. */
function isFromTerminal(signal: NodeJS.Signals): boolean {
  return process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT");
}
