import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { ProcessIdentity } from "./process-identity.js";

/** Where one instance of the test cluster keeps its files; several instances live side by side without touching each other. */
export type ClusterPaths = {
  readonly instance: string;
  /** Everything that `down` removes. */
  readonly state: string;
  /** Everything that survives `down`: binaries, images, package caches. Shared by all instances. */
  readonly cache: string;
  readonly bin: string;
  readonly certificates: string;
  readonly logs: string;
  readonly kubeconfig: string;
  readonly auditLog: string;
  readonly record: string;
  readonly lock: string;
};

/** What is running, as written by `up`; `complete` is false from the first process on until every node is Ready. */
export type ClusterRecord = {
  readonly complete: boolean;
  readonly nodes: readonly string[];
  /** By name: "network" (holds the lab's network namespace), "registry", "etcd", ..., "node1" (holds the node's namespaces), "node1/kubelet". */
  readonly processes: Readonly<Record<string, ProcessIdentity>>;
};

/** The paths of the instance that the environment variable PODMEND_CLUSTER names ("main" when unset). */
export function clusterPaths(instance: string = process.env["PODMEND_CLUSTER"] ?? "main"): ClusterPaths {
  if (!/^[a-z0-9][a-z0-9-]{0,19}$/.test(instance)) {
    throw new Error(`Cannot use cluster name "${instance}": want at most 20 of a-z, 0-9 and "-"`);
  }
  const state = join(process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local/state"), "podmend", "cluster", instance);
  return {
    instance,
    state,
    cache: join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "podmend"),
    bin: join(state, "bin"),
    certificates: join(state, "certificates"),
    logs: join(state, "logs"),
    kubeconfig: join(state, "admin.kubeconfig"),
    auditLog: join(state, "logs", "audit.log"),
    record: join(state, "cluster.json"),
    lock: `${state}.lock`,
  };
}

/** The files of one node. */
export function nodeDirectory(paths: ClusterPaths, node: string): string {
  return join(paths.state, "nodes", node);
}

/** What the last `up` wrote, or undefined where no cluster was started. */
export function readRecord(paths: ClusterPaths): ClusterRecord | undefined {
  try {
    return JSON.parse(readFileSync(paths.record, "utf8")) as ClusterRecord;
  } catch {
    return undefined; // absent, or cut short by a kill: both mean that there is nothing to rely on
  }
}

/** Replaces the record in one step, so that a reader never sees half of it. */
export function writeRecord(paths: ClusterPaths, record: ClusterRecord): void {
  mkdirSync(paths.state, { recursive: true });
  const temporary = `${paths.record}.new`;
  writeFileSync(temporary, `${JSON.stringify(record, undefined, 2)}\n`);
  renameSync(temporary, paths.record);
}
