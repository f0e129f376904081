import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ensureBaseImages } from "./base-images.js";
import { buildImage, pushBuiltImage } from "./buildah.js";
import { isHealthy } from "./health.js";
import { kubectl } from "./kubectl.js";
import { say } from "./shell.js";
import type { ClusterPaths } from "./state.js";

const REPOSITORY = resolve(import.meta.dirname, "../..");
const NAMESPACE = "podmend-system";
const IMAGE = "ghcr.io/podmend/podmend";
const ROLLOUT_TIMEOUT = "180s";

/** Builds our image with the real Dockerfile, and installs our manifests with no other change than that image's tag; waits until all of it runs. */
export async function deploy(paths: ClusterPaths): Promise<void> {
  if (!(await isHealthy(paths))) throw new Error(`Cannot deploy to cluster "${paths.instance}": not running; run cluster:up first`);
  const reference = await buildAndPush(paths);
  say("Applying the manifests");
  const resources = join(REPOSITORY, "deploy/crds");
  // A CloneSet's schema is too large for the annotation that a client-side apply writes.
  await kubectl(paths, ["apply", "--server-side", "--force-conflicts", "-f", resources]);
  await kubectl(paths, ["wait", "--for=condition=Established", "--timeout=60s", "-f", resources]);
  for (const file of ["daemonset.yaml", "deploy/controller.yaml"]) {
    await kubectl(paths, ["apply", "-f", "-"], { input: withImage(file, reference) });
  }
  await waitForRollout(paths);
  say(`Podmend runs: ${reference}`);
}

async function buildAndPush(paths: ClusterPaths): Promise<string> {
  const dockerfile = readFileSync(join(REPOSITORY, "Dockerfile"), "utf8");
  const nodeMajor = /^ARG NODE_MAJOR=(\d+)$/m.exec(dockerfile)?.[1];
  if (nodeMajor === undefined) throw new Error('Cannot read "Dockerfile": it has no line "ARG NODE_MAJOR=..."');
  await ensureBaseImages(paths, nodeMajor);
  const npmCache = join(paths.cache, "npm");
  mkdirSync(npmCache, { recursive: true });
  const built = `${IMAGE}:built-${paths.instance}`;
  const id = await buildImage(paths, { context: REPOSITORY, reference: built, volumes: { "/root/.npm": npmCache } });
  const tag = `dev-${id.slice(0, 12)}`;
  await pushBuiltImage(paths, built, `${IMAGE.slice(IMAGE.indexOf("/") + 1)}:${tag}`);
  return `${IMAGE}:${tag}`;
}

function withImage(file: string, reference: string): string {
  const manifest = readFileSync(join(REPOSITORY, file), "utf8");
  const changed = manifest.replaceAll(/ghcr\.io\/podmend\/podmend:[\w.-]+/g, reference);
  if (changed === manifest && !manifest.includes(reference)) throw new Error(`Cannot deploy "${file}": it does not name ${IMAGE}`);
  return changed;
}

async function waitForRollout(paths: ClusterPaths): Promise<void> {
  const names = await kubectl(paths, ["-n", NAMESPACE, "get", "daemonset,deployment", "-o", "name"]);
  for (const name of names.split("\n").filter(Boolean)) {
    try {
      await kubectl(paths, ["-n", NAMESPACE, "rollout", "status", name, `--timeout=${ROLLOUT_TIMEOUT}`]);
    } catch (error) {
      throw new Error(`Cannot deploy "${name}": not rolled out after ${ROLLOUT_TIMEOUT}\n${await describePods(paths)}`, { cause: error });
    }
  }
}

async function describePods(paths: ClusterPaths): Promise<string> {
  const commands = [
    ["get", "pods", "-o", "wide"],
    ["get", "events", "--field-selector=type=Warning"],
    ["logs", "--selector=app.kubernetes.io/name=podmend", "--tail=20", "--prefix"],
  ];
  const outputs = commands.map((command) => kubectl(paths, ["-n", NAMESPACE, ...command]).catch(String));
  return (await Promise.all(outputs)).join("\n");
}
