import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ancestors } from "./process-identity.js";
import type { ClusterPaths } from "./state.js";

// Every process of a cluster starts inside a control group named after the instance, and so do its children and the pods' containers. Whatever
// happened to `up`, that group says what is still running: nothing is looked for by name, and no process can be lost between its start and its record.

const CGROUP_ROOT = "/sys/fs/cgroup";
const KILL_TIMEOUT_MS = 30_000;

/** The name of the instance's control group, as the kubelet and the tracking code use it. */
export function groupName(paths: ClusterPaths): string {
  return `podmend-cluster-${paths.instance}`;
}

/** Makes the group that background programs enter, and gives the file into which a program writes its pid to do so. */
export function createDaemonGroup(paths: ClusterPaths): string {
  const directory = join(trackingHierarchy(), groupName(paths), "daemons");
  mkdirSync(directory, { recursive: true });
  return join(directory, "cgroup.procs");
}

/** All processes of the instance, those inside containers included. */
export function trackedPids(paths: ClusterPaths): readonly number[] {
  return hierarchies().flatMap((root) => groupsBelow(join(root, groupName(paths))).flatMap(pidsIn));
}

/**
 * Kills all processes of the instance and whatever else still runs in the given namespaces, and removes the control groups.
 *
 * @throws Error naming the processes that are still there after 30 s
 */
export async function killTracked(paths: ClusterPaths, findOthers: () => readonly number[]): Promise<void> {
  const spared = ancestors(process.pid);
  const endMs = Date.now() + KILL_TIMEOUT_MS;
  for (;;) {
    const pids = [...new Set([...trackedPids(paths), ...findOthers()])].filter((pid) => !spared.has(pid));
    if (pids.length === 0 && removeGroups(paths)) return;
    if (Date.now() > endMs) throw new Error(`Cannot stop cluster "${paths.instance}": still running: ${pids.join(" ")}`);
    for (const pid of pids) kill(pid);
    await sleep(50);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it ended by itself meanwhile
  }
}

/** Whether no group is left; the kernel refuses to remove one whose processes it has not buried yet. */
function removeGroups(paths: ClusterPaths): boolean {
  for (const root of hierarchies()) {
    for (const group of groupsBelow(join(root, groupName(paths))).toReversed()) {
      try {
        rmdirSync(group);
      } catch {
        return false;
      }
    }
  }
  return true;
}

/** The group and all groups below it, parents first. */
function groupsBelow(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  const children = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [directory, ...children.flatMap((child) => groupsBelow(join(directory, child.name)))];
}

function pidsIn(group: string): readonly number[] {
  try {
    return readFileSync(join(group, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
  } catch {
    return []; // gone meanwhile
  }
}

/** One per controller with control groups of version 1, a single one with version 2. */
function hierarchies(): readonly string[] {
  if (existsSync(join(CGROUP_ROOT, "cgroup.procs"))) return [CGROUP_ROOT];
  return readdirSync(CGROUP_ROOT)
    .map((name) => join(CGROUP_ROOT, name))
    .filter((directory) => existsSync(join(directory, "cgroup.procs")));
}

/** The hierarchy that the background programs enter: one without limits of its own. */
function trackingHierarchy(): string {
  const all = hierarchies();
  const found =
    [join(CGROUP_ROOT, "pids"), join(CGROUP_ROOT, "systemd"), CGROUP_ROOT].find((directory) => all.includes(directory)) ?? all[0];
  if (found === undefined) throw new Error(`Cannot find control groups below "${CGROUP_ROOT}": none mounted`);
  return found;
}
