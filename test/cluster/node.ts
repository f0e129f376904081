import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { nodeAddress } from "./addresses.js";
import { createNodeCertificates } from "./certificates.js";
import { daemonFailure, daemonPid, startDaemon } from "./daemon.js";
import { writeKubeconfig } from "./kubeconfig.js";
import { connectNode } from "./network.js";
import { writeNodeConfig } from "./node-config.js";
import { run, waitUntil } from "./shell.js";
import { type ClusterPaths, nodeDirectory } from "./state.js";

const NAMESPACES = ["-m", "-n", "-u"] as const;

/** Starts a node: its namespaces, its place in the network, containerd, and the kubelet, which announces the node to the API server. */
export async function startNode(paths: ClusterPaths, node: string, others: readonly string[]): Promise<void> {
  await openNamespaces(paths, node);
  await connectNode(paths, node, others);
  await createNodeCertificates(paths, node);
  const config = writeNodeConfig(paths, node);
  const within = { pid: daemonPid(paths, node), namespaces: NAMESPACES };
  startDaemon(paths, { name: `${node}/containerd`, command: "containerd", args: ["--config", config.containerd], within });
  await waitUntil({
    what: `"${node}/containerd"`,
    timeoutMs: 30_000,
    isDone: () => existsSync(`/proc/${within.pid}/root/run/containerd/containerd.sock`),
    failure: () => daemonFailure(paths, `${node}/containerd`),
  });
  const flags = [
    `--config=${config.kubelet}`,
    `--kubeconfig=${writeKubeconfig(paths, node)}`,
    `--hostname-override=${node}`,
    `--node-ip=${nodeAddress(node)}`,
  ];
  startDaemon(paths, { name: `${node}/kubelet`, command: join(paths.bin, "kubelet"), args: flags, within });
}

/** Runs a program inside a node's namespaces and gives its output. */
export function runInNode(paths: ClusterPaths, node: string, command: readonly string[]): Promise<string> {
  return run("nsenter", ["-t", String(daemonPid(paths, node)), ...NAMESPACES, ...command]);
}

async function openNamespaces(paths: ClusterPaths, node: string): Promise<void> {
  const directory = nodeDirectory(paths, node);
  mkdirSync(directory, { recursive: true });
  const init = join(import.meta.dirname, "node-init.sh");
  startDaemon(paths, { name: node, command: "unshare", args: ["--mount", "--net", "--uts", "sh", init, node, directory] });
  await waitUntil({
    what: `"${node}"`,
    timeoutMs: 20_000,
    everyMs: 10,
    isDone: () => existsSync(join(directory, "initialized")),
    failure: () => daemonFailure(paths, node),
  });
}
