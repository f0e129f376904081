import { readdirSync, readlinkSync, rmSync } from "node:fs";
import { isRunning } from "./process-identity.js";
import { type ClusterPaths, readRecord } from "./state.js";
import { killTracked, trackedPids } from "./tracking-group.js";

const NAMESPACE_KINDS = ["net", "mnt"] as const;

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

/** The namespaces of the cluster's processes, but for those that are also the machine's own. */
function clusterNamespaces(paths: ClusterPaths): ReadonlySet<string> {
  const recorded = Object.values(readRecord(paths)?.processes ?? {}).filter(isRunning);
  const pids = [...recorded.map(({ pid }) => pid), ...trackedPids(paths)];
  const shared = new Set([...namespacesOf(1), ...namespacesOf(process.pid)]);
  return new Set(pids.flatMap(namespacesOf).filter((namespace) => !shared.has(namespace)));
}

function pidsWithin(namespaces: ReadonlySet<string>): readonly number[] {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => namespacesOf(pid).some((namespace) => namespaces.has(namespace)));
}

function namespacesOf(pid: number): readonly string[] {
  return NAMESPACE_KINDS.flatMap((kind) => {
    try {
      return [readlinkSync(`/proc/${pid}/ns/${kind}`)];
    } catch {
      return []; // ended meanwhile
    }
  });
}
