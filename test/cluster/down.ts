import { readdirSync, readlinkSync, rmSync } from "node:fs";
import { NETWORK } from "./network.js";
import { isRunning } from "./process-identity.js";
import { type ClusterPaths, readRecord } from "./state.js";
import { killTracked } from "./tracking-group.js";

/**
 * Stops everything that belongs to the cluster and removes its files; does nothing where there is none.
 *
 * Mounts, bridges, routes and cables exist only inside the cluster's namespaces and end with the last process in them. Whatever else somebody
 * left running in these namespaces (a port-forward, say) is stopped too, but never this process or one that it descends from.
 */
export async function takeDown(paths: ClusterPaths): Promise<void> {
  const namespaces = clusterNamespaces(paths);
  await killTracked(paths, () => (namespaces.size === 0 ? [] : pidsWithin(namespaces)));
  rmSync(paths.state, { recursive: true, force: true, maxRetries: 5 });
}

/** The namespaces that the cluster made: the lab's network, and the nodes' networks and mounts. */
function clusterNamespaces(paths: ClusterPaths): ReadonlySet<string> {
  const processes = Object.entries(readRecord(paths)?.processes ?? {}).filter(([, identity]) => isRunning(identity));
  const made = processes.flatMap(([name, { pid }]) =>
    name === NETWORK ? namespaceOf(pid, "net") : name.startsWith("node") ? namespacesOf(pid) : [],
  );
  // A holder that was just started may still be in the namespaces of whoever started it.
  const others = new Set([...namespacesOf(1), ...namespacesOf(process.pid)]);
  return new Set(made.filter((namespace) => !others.has(namespace)));
}

function pidsWithin(namespaces: ReadonlySet<string>): readonly number[] {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => namespacesOf(pid).some((namespace) => namespaces.has(namespace)));
}

function namespacesOf(pid: number): readonly string[] {
  return [...namespaceOf(pid, "net"), ...namespaceOf(pid, "mnt")];
}

/** Empty where the process ended meanwhile. */
function namespaceOf(pid: number, kind: "net" | "mnt"): readonly string[] {
  try {
    return [readlinkSync(`/proc/${pid}/ns/${kind}`)];
  } catch {
    return [];
  }
}
