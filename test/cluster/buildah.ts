import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { REGISTRY } from "./addresses.js";
import { daemonPid } from "./daemon.js";
import { NETWORK } from "./network.js";
import { type RunOptions, run, runShown } from "./shell.js";
import type { ClusterPaths } from "./state.js";
import { trackedCommand } from "./tracking-group.js";

/** An image to build. */
export type ImageBuild = {
  /** The directory that the Dockerfile's COPY sees; the Dockerfile is in it. */
  readonly context: string;
  readonly reference: string;
  readonly buildArguments?: Readonly<Record<string, string>>;
  /** Directories of this machine that the build's commands see, by the place where they see them. */
  readonly volumes?: Readonly<Record<string, string>>;
};

type StartShell<T> = (args: readonly string[], options: RunOptions) => Promise<T>;

/** Builds an image from base images that are already in buildah's storage, never from a registry; gives its ID. */
export async function buildImage(paths: ClusterPaths, build: ImageBuild): Promise<string> {
  const buildArguments = Object.entries(build.buildArguments ?? {}).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
  const volumes = Object.entries(build.volumes ?? {}).flatMap(([place, directory]) => ["--volume", `${directory}:${place}`]);
  // Changed times of unchanged files shall not change layers, hence the fixed one.
  const options = ["--pull-never", "--isolation", "chroot", "--layers", "--timestamp", "0", ...buildArguments, ...volumes];
  await withBuildah(paths, ["bud", ...options, "--tag", build.reference, build.context], (args, env) => runShown("/bin/sh", args, env));
  const id = await findImage(paths, build.reference);
  if (id === undefined) throw new Error(`Cannot find image "${build.reference}": built, but not in the storage`);
  return id;
}

/** The ID of an image in buildah's storage, or undefined where it has none of that name. */
export async function findImage(paths: ClusterPaths, reference: string): Promise<string | undefined> {
  const listing = await withBuildah(paths, ["images", "--json"], (args, env) => run("/bin/sh", args, env));
  const images = JSON.parse(listing) as readonly { readonly id: string; readonly names?: readonly string[] | null }[];
  return images.find((image) => image.names?.includes(reference))?.id;
}

/** Copies an image from buildah's storage into the cluster's registry under a repository path with tag, e.g. "app:v1". */
export async function pushBuiltImage(paths: ClusterPaths, reference: string, name: string): Promise<void> {
  const lab = String(daemonPid(paths, NETWORK));
  // Uncompressed: the registry is next door, so compressing costs more time than it saves.
  const push = ["push", "--quiet", "--tls-verify=false", "--disable-compression", reference, `docker://${REGISTRY}/${name}`];
  await withBuildah(paths, push, (args, env) => run("nsenter", ["-t", lab, "-n", "/bin/sh", ...args], env));
}

/**
 * Calls `start` with the arguments of a /bin/sh that becomes buildah.
 *
 * A killed build leaves nothing behind: `down` finds its processes, its mounts are in a namespace of their own, and its records in a directory that
 * no other call uses.
 */
async function withBuildah<T>(paths: ClusterPaths, command: readonly string[], start: StartShell<T>): Promise<T> {
  const temporary = join(paths.cache, "buildah", "temporary");
  for (const directory of [paths.state, temporary]) mkdirSync(directory, { recursive: true });
  const runDirectory = mkdtempSync(join(paths.state, "buildah-"));
  const storage = ["--storage-driver", "overlay", "--root", join(paths.cache, "buildah", "storage"), "--runroot", runDirectory];
  try {
    return await start(trackedCommand(paths, ["unshare", "--mount", "buildah", ...storage, ...command]), {
      env: { ...process.env, TMPDIR: temporary },
    });
  } finally {
    rmSync(runDirectory, { recursive: true, force: true });
  }
}
