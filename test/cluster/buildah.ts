import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { REGISTRY } from "./addresses.js";
import { daemonPid } from "./daemon.js";
import { NETWORK } from "./network.js";
import { run, runShown } from "./shell.js";
import type { ClusterPaths } from "./state.js";

/** An image to build. */
export type ImageBuild = {
  /** The directory that the Dockerfile's COPY sees; the Dockerfile is in it. */
  readonly context: string;
  readonly reference: string;
  readonly buildArguments?: Readonly<Record<string, string>>;
  /** Directories of this machine that the build's commands see, by the place where they see them. */
  readonly volumes?: Readonly<Record<string, string>>;
};

/** Builds an image from base images that are already in buildah's storage, never from a registry; gives its ID. */
export async function buildImage(paths: ClusterPaths, build: ImageBuild): Promise<string> {
  const buildArguments = Object.entries(build.buildArguments ?? {}).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
  const volumes = Object.entries(build.volumes ?? {}).flatMap(([place, directory]) => ["--volume", `${directory}:${place}`]);
  // Changed times of unchanged files shall not change layers, hence the fixed one.
  const options = ["--pull-never", "--isolation", "chroot", "--layers", "--timestamp", "0", ...buildArguments, ...volumes];
  await withStorage(paths, (storage) =>
    runShown("unshare", [...storage, "bud", ...options, "--tag", build.reference, build.context], environment(paths)),
  );
  const id = await findImage(paths, build.reference);
  if (id === undefined) throw new Error(`Cannot find image "${build.reference}": built, but not in the storage`);
  return id;
}

/** The ID of an image in buildah's storage, or undefined where it has none of that name. */
export async function findImage(paths: ClusterPaths, reference: string): Promise<string | undefined> {
  const listing = await withStorage(paths, (storage) => run("unshare", [...storage, "images", "--json"], environment(paths)));
  const images = JSON.parse(listing) as readonly { readonly id: string; readonly names?: readonly string[] | null }[];
  return images.find((image) => image.names?.includes(reference))?.id;
}

/** Copies an image from buildah's storage into the cluster's registry under a repository path with tag, e.g. "app:v1". */
export async function pushBuiltImage(paths: ClusterPaths, reference: string, name: string): Promise<void> {
  const enterLab = ["-t", String(daemonPid(paths, NETWORK)), "-n", "unshare"];
  // Uncompressed: the registry is next door, so compressing costs more time than it saves.
  const push = ["push", "--quiet", "--tls-verify=false", "--disable-compression", reference, `docker://${REGISTRY}/${name}`];
  await withStorage(paths, (storage) => run("nsenter", [...enterLab, ...storage, ...push], environment(paths)));
}

/** In a mount namespace of its own, a killed build leaves no mount; with a fresh run directory, none of the killed one's records misleads the next. */
async function withStorage<T>(paths: ClusterPaths, use: (commandLine: readonly string[]) => Promise<T>): Promise<T> {
  mkdirSync(paths.state, { recursive: true });
  mkdirSync(temporaryDirectory(paths), { recursive: true });
  const runDirectory = mkdtempSync(join(paths.state, "buildah-"));
  try {
    return await use([
      "--mount",
      "buildah",
      "--storage-driver",
      "overlay",
      "--root",
      join(paths.cache, "buildah", "storage"),
      "--runroot",
      runDirectory,
    ]);
  } finally {
    rmSync(runDirectory, { recursive: true, force: true });
  }
}

function environment(paths: ClusterPaths): { readonly env: NodeJS.ProcessEnv } {
  return { env: { ...process.env, TMPDIR: temporaryDirectory(paths) } };
}

function temporaryDirectory(paths: ClusterPaths): string {
  return join(paths.cache, "buildah", "temporary");
}
