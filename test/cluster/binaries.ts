import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { withCacheLock } from "./lock.js";
import { runShown, say } from "./shell.js";
import type { ClusterPaths } from "./state.js";

/** The Kubernetes release that the cluster consists of; go.mod says the same. */
export const KUBERNETES_VERSION = "v1.35.4";

const SOURCE = join(import.meta.dirname, "go");
const PROGRAMS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kubectl"] as const;

/**
 * Builds etcd and Kubernetes as one program (about five minutes on two cores, once), and links it under each program's name into the state's bin.
 *
 * @throws Error when the Go toolchain fails
 */
export async function ensureBinaries(paths: ClusterPaths): Promise<void> {
  const binary = await withCacheLock(paths, "binaries", () => buildOnce(paths));
  mkdirSync(paths.bin, { recursive: true });
  for (const name of PROGRAMS) {
    rmSync(join(paths.bin, name), { force: true });
    symlinkSync(binary, join(paths.bin, name));
  }
}

async function buildOnce(paths: ClusterPaths): Promise<string> {
  const directory = join(paths.cache, "binaries", sourceHash());
  const binary = join(directory, "kubernetes");
  if (existsSync(binary)) return binary;
  say(`Building etcd and Kubernetes ${KUBERNETES_VERSION} into ${directory} (several minutes, once)`);
  mkdirSync(directory, { recursive: true });
  const unfinished = `${binary}.unfinished`;
  await runShown("go", ["build", "-mod=readonly", "-buildvcs=false", "-trimpath", "-ldflags", linkerFlags(), "-o", unfinished, "."], {
    cwd: SOURCE,
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  renameSync(unfinished, binary);
  return binary;
}

function sourceHash(): string {
  const hash = createHash("sha256");
  for (const file of ["go.mod", "main.go"]) hash.update(readFileSync(join(SOURCE, file)));
  return hash.digest("hex").slice(0, 16);
}

function linkerFlags(): string {
  const [major, minor] = KUBERNETES_VERSION.slice(1).split(".");
  const values = { gitVersion: KUBERNETES_VERSION, gitMajor: major, gitMinor: minor };
  return ["-s", "-w", ...Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${String(value)}`)].join(
    " ",
  );
}
