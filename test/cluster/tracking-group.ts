import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ancestors } from "./process-identity.js";
import { type ClusterPaths, nodeDirectory } from "./state.js";

// Every background program of a cluster starts inside a control group named after the instance, and so do its children. Containers have groups of
// their own, named after the IDs under which containerd keeps them in the node's directory. Whatever happened to `up`, these groups say what is
// still running: nothing is looked for by name, and no process can be lost between its start and its record.

const CGROUP_ROOT = "/sys/fs/cgroup";
const KILL_TIMEOUT_MS = 30_000;
/** Where containerd puts the containers of all kubelets, unless a kubelet says otherwise. */
const CONTAINERS_GROUP = "k8s.io";

// The shell enters the group before it becomes the program, so that there is no moment in which the program runs untracked.
const ENTER_GROUP = 'echo $$ > "$0" && exec "$@"';

/** The arguments of a /bin/sh that becomes the given program inside the instance's control group, which is made if need be. */
export function trackedCommand(paths: ClusterPaths, command: readonly string[]): readonly string[] {
  const directory = join(trackingHierarchy(), groupName(paths));
  mkdirSync(directory, { recursive: true });
  return ["-c", ENTER_GROUP, join(directory, "cgroup.procs"), ...command];
}

/** All processes of the instance, those inside containers included. */
export function trackedPids(paths: ClusterPaths): readonly number[] {
  return clusterGroups(paths).flatMap(pidsIn);
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
  const isGone = clusterGroups(paths).toReversed().every(removeGroup);
  for (const root of hierarchies()) removeGroup(join(root, CONTAINERS_GROUP)); // in vain while another cluster has containers
  return isGone;
}

function removeGroup(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch {
    return !existsSync(group);
  }
}

function clusterGroups(paths: ClusterPaths): readonly string[] {
  const names = [groupName(paths), ...containerIds(paths).map((id) => join(CONTAINERS_GROUP, id))];
  return hierarchies().flatMap((root) => names.flatMap((name) => groupsBelow(join(root, name))));
}

function groupName(paths: ClusterPaths): string {
  return `podmend-cluster-${paths.instance}`;
}

/** All containers and sandboxes of all nodes: containerd removes a container's directory only after its control group. */
function containerIds(paths: ClusterPaths): readonly string[] {
  const nodes = entriesOf(join(paths.state, "nodes"));
  return nodes.flatMap((node) => entriesOf(join(nodeDirectory(paths, node), "run/containerd/io.containerd.runtime.v2.task/k8s.io")));
}

function entriesOf(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
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
