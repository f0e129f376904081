import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const CLUSTER_GO_MOD = join(import.meta.dirname, "../cluster/go/go.mod");

/** The version of a module that the cluster is built from. */
export function clusterModuleVersion(module: string): string {
  const line = readFileSync(CLUSTER_GO_MOD, "utf8").match(new RegExp(`^\\s*${module.replaceAll(".", "\\.")} (v\\S+)`, "m"));
  if (line?.[1] === undefined) throw new Error(`Cannot find module "${module}": the cluster's go.mod does not name it`);
  return line[1];
}

/** The folder of a Go module in Go's own cache, downloaded through Go's own client if need be. */
export function goModuleDirectory(module: string, version: string): string {
  const answer = execFileSync("go", ["mod", "download", "-json", `${module}@${version}`], { encoding: "utf8" });
  return (JSON.parse(answer) as { readonly Dir: string }).Dir;
}

/** Why Go modules cannot be had on this machine; undefined if they can. */
export function goProblem(): string | undefined {
  try {
    execFileSync("go", ["version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "install Go 1.25 or later";
  }
}
