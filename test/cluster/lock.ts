import { spawnSync } from "node:child_process";
import { mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { say } from "./shell.js";
import type { ClusterPaths } from "./state.js";

const LONGEST_WAIT_SECONDS = 1800;

/**
 * Makes sure that only one process changes the cluster, by waiting for the other to end.
 *
 * The lock belongs to our open file, which no child inherits: it ends with this process, however that ends.
 *
 * @throws Error when the other has not ended within 30 minutes
 */
export function lockCluster(paths: ClusterPaths): void {
  mkdirSync(dirname(paths.lock), { recursive: true });
  const file = openSync(paths.lock, "w");
  if (takeLock(file, ["-n"])) return;
  say(`Waiting for another process that works on cluster "${paths.instance}"`);
  if (!takeLock(file, ["-w", String(LONGEST_WAIT_SECONDS)]))
    throw new Error(`Cannot lock cluster "${paths.instance}": in use for more than 30 minutes`);
}

function takeLock(file: number, options: readonly string[]): boolean {
  return spawnSync("flock", [...options, "3"], { stdio: ["ignore", "ignore", "inherit", file] }).status === 0;
}
