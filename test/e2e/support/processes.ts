import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { promisify } from "node:util";
import type { Pod } from "../../../src/api/pod.js";
import { inNode, instances, nodePid } from "./cluster.js";

const run = promisify(execFile);

/** The kubelet of a node: the process of that name in the node's mount namespace. */
export function kubeletPid(node: string): number {
  const namespace = readlinkSync(`/proc/${nodePid(node)}/ns/mnt`);
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (isKubeletIn(entry, namespace)) return Number(entry);
  }
  throw new Error(`no kubelet runs on ${node}`);
}

function isKubeletIn(pid: string, mountNamespace: string): boolean {
  try {
    const [program] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return program?.endsWith("/kubelet") === true && readlinkSync(`/proc/${pid}/ns/mnt`) === mountNamespace;
  } catch {
    return false; // ended between listing and looking
  }
}

/** The first process of a pod's container, as the machine numbers it. */
export async function containerPid(pod: Pod, container: string): Promise<number> {
  const id = instances(pod)[container]?.id.split("//")[1] ?? "";
  const tasks = await inNode(pod.spec.nodeName ?? "", ["ctr", "-n", "k8s.io", "task", "ls"]);
  const pid = new RegExp(`^${id}\\s+(\\d+)`, "m").exec(tasks)?.[1];
  if (pid === undefined) throw new Error(`container ${container} of ${pod.metadata.name} does not run`);
  return Number(pid);
}

export async function kubectl(...args: readonly string[]): Promise<string> {
  const { stdout } = await run("kubectl", [...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** The environment of a running container's first process, as its kernel has it. */
export async function liveEnv(pod: Pod, container: string): Promise<ReadonlyMap<string, string>> {
  const environ = readFileSync(`/proc/${await containerPid(pod, container)}/environ`, "utf8");
  const entries = environ.split("\0").filter(Boolean);
  return new Map(entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]));
}
