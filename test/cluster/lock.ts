import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { say } from "./shell.js";
import type { ClusterPaths } from "./state.js";

const LONGEST_WAIT_SECONDS = 1800;

/** Makes sure, until this process ends, that no other one changes the cluster; waits for the other to end. @throws Error after 30 minutes */
export function lockCluster(paths: ClusterPaths): void {
  takeLock(paths.lock, `cluster "${paths.instance}"`);
}

/** Does some work while no other process, for whatever cluster, does work under the same name in the cache. @throws Error after waiting 30 minutes */
export async function withCacheLock<T>(paths: ClusterPaths, name: string, work: () => Promise<T>): Promise<T> {
  const file = takeLock(join(paths.cache, `${name}.lock`), `the cache of ${name}`);
  try {
    return await work();
  } finally {
    closeSync(file);
  }
}

/** The lock belongs to our open file, which no child inherits: it ends with the file's closing or with this process, however that ends. */
function takeLock(path: string, what: string): number {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  if (lock(file, ["-n"])) return file;
  say(`Waiting for another process that works on ${what}`);
  if (lock(file, ["-w", String(LONGEST_WAIT_SECONDS)])) return file;
  throw new Error(`Cannot lock ${what}: in use for more than ${LONGEST_WAIT_SECONDS} s`);
}

function lock(file: number, options: readonly string[]): boolean {
  return spawnSync("flock", [...options, "3"], { stdio: ["ignore", "ignore", "inherit", file] }).status === 0;
}
