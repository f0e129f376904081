import { readlinkSync } from "node:fs";
import { API_SERVICE_ADDRESS, LAB_ADDRESS, nodeAddress, nodeNumber, podSubnet } from "./addresses.js";
import { daemonFailure, daemonPid, startDaemon } from "./daemon.js";
import { run, waitUntil } from "./shell.js";
import type { ClusterPaths } from "./state.js";

/** The background program that holds the lab's network namespace: bridge, control plane, registry, and whoever talks to the cluster. */
export const NETWORK = "network";

/** Opens the lab's network namespace with its bridge. */
export async function startNetwork(paths: ClusterPaths): Promise<void> {
  startDaemon(paths, { name: NETWORK, command: "unshare", args: ["--net", "sleep", "infinity"] });
  await waitForNamespace(paths, NETWORK, "net");
  await inLab(paths, [
    "ip link set lo up",
    "ip link add lab0 type bridge",
    `ip address add ${LAB_ADDRESS}/24 dev lab0`,
    `ip address add ${API_SERVICE_ADDRESS}/32 dev lab0`,
    "ip link set lab0 up",
    "echo 1 > /proc/sys/net/ipv4/ip_forward",
  ]);
}

/** Connects a node's network namespace to the bridge and tells the lab, the node and its elders where each one's pods are. */
export async function connectNode(paths: ClusterPaths, node: string, others: readonly string[]): Promise<void> {
  const nodePid = daemonPid(paths, node);
  const cable = `veth${nodeNumber(node)}`;
  await inLab(paths, [
    `ip link add ${cable} type veth peer name eth0 netns ${nodePid}`,
    `ip link set ${cable} master lab0 up`,
    `ip route add ${podSubnet(node)} via ${nodeAddress(node)}`,
  ]);
  await inNamespace(nodePid, [
    "ip link set lo up",
    `ip address add ${nodeAddress(node)}/24 dev eth0`,
    "ip link set eth0 up",
    `ip route add default via ${LAB_ADDRESS}`,
    "echo 1 > /proc/sys/net/ipv4/ip_forward",
    ...others.map((other) => `ip route add ${podSubnet(other)} via ${nodeAddress(other)}`),
  ]);
  for (const other of others) await inNamespace(daemonPid(paths, other), [`ip route add ${podSubnet(node)} via ${nodeAddress(node)}`]);
}

/** Waits until a started program has left our namespace of the given kind for its own. */
export async function waitForNamespace(paths: ClusterPaths, name: string, kind: "net" | "mnt"): Promise<void> {
  const ours = readlinkSync(`/proc/self/ns/${kind}`);
  await waitUntil({
    what: `"${name}"`,
    timeoutMs: 10_000,
    everyMs: 10,
    isDone: () => readlinkSync(`/proc/${daemonPid(paths, name)}/ns/${kind}`) !== ours,
    failure: () => daemonFailure(paths, name),
  });
}

async function inLab(paths: ClusterPaths, commands: readonly string[]): Promise<void> {
  await inNamespace(daemonPid(paths, NETWORK), commands);
}

async function inNamespace(pid: number, commands: readonly string[]): Promise<void> {
  await run("nsenter", ["-t", String(pid), "-n", "sh", "-ec", commands.join("\n")]);
}
