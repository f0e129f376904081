import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildImage, findImage } from "./buildah.js";
import { withCacheLock } from "./lock.js";
import { CERTIFICATES_PLACE, readNpmSettings } from "./npm-settings.js";
import { run, say } from "./shell.js";
import type { ClusterPaths } from "./state.js";

// Docker Hub may be out of reach of a test machine, while Debian's and npm's mirrors are within it. So what the Dockerfile calls
// node:<major>-bookworm-slim is made here, from the same Debian release and the same program.

const SUITE = "bookworm";
const NPM_VERSION = "11.21.2";
/** The release of Node that stands for a major. */
const NODE_VERSIONS: Readonly<Record<string, string>> = { "20": "20.20.2", "22": "22.23.5", "24": "24.22.3" };

/**
 * Puts the base images that the Dockerfile names into buildah's storage: the slim one, and the one for the build stage, which besides knows how this
 * machine reaches its package registry.
 */
export function ensureBaseImages(paths: ClusterPaths, nodeMajor: string): Promise<void> {
  return withCacheLock(paths, "base-images", () => makeBaseImages(paths, nodeMajor));
}

async function makeBaseImages(paths: ClusterPaths, nodeMajor: string): Promise<void> {
  const version = NODE_VERSIONS[nodeMajor];
  if (version === undefined)
    throw new Error(`Cannot make a base image for Node ${nodeMajor}: want one of ${Object.keys(NODE_VERSIONS).join(", ")}`);
  const slim = `docker.io/library/node:${nodeMajor}-${SUITE}-slim`;
  await ensureImage(paths, slim, `${version} ${NPM_VERSION}`, (context) => prepareSlim(context, version));
  const settings = await readNpmSettings();
  await ensureImage(paths, `docker.io/library/node:${nodeMajor}-${SUITE}`, JSON.stringify([version, settings]), (context) => {
    writeFileSync(join(context, "npmrc"), settings.npmrc);
    writeFileSync(join(context, "certificates.pem"), settings.certificates);
    const trust = settings.certificates === "" ? "" : `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES_PLACE}\n`;
    writeFileSync(
      join(context, "Dockerfile"),
      `FROM ${slim}\nCOPY npmrc /root/.npmrc\nCOPY certificates.pem ${CERTIFICATES_PLACE}\n${trust}`,
    );
  });
}

/** Builds an image unless it was built from the same key before. */
async function ensureImage(
  paths: ClusterPaths,
  reference: string,
  key: string,
  prepare: (context: string) => Promise<void> | void,
): Promise<void> {
  const directory = join(paths.cache, "buildah");
  const marker = join(directory, `${reference.replaceAll(/[/:]/g, "_")}.key`);
  const hash = createHash("sha256").update(key).digest("hex");
  if (readIfThere(marker) === hash && (await findImage(paths, reference)) !== undefined) return;
  say(`Making the base image ${reference}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const context = join(directory, "context");
  rmSync(context, { recursive: true, force: true }); // what a killed build left
  mkdirSync(context);
  try {
    await prepare(context);
    await buildImage(paths, { context, reference });
    writeFileSync(marker, hash);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

async function prepareSlim(context: string, version: string): Promise<void> {
  const root = join(context, "root");
  await run("debootstrap", ["--variant=minbase", "--include=ca-certificates,libstdc++6", SUITE, root, await debianMirror()]);
  for (const needless of ["var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/locale", "usr/share/man", "var/log"]) {
    rmSync(join(root, needless), { recursive: true, force: true });
    mkdirSync(join(root, needless));
  }
  const node = await unpackFromNpm(context, `node-linux-${process.arch}@${version}`);
  cpSync(join(node, "bin/node"), join(root, "usr/local/bin/node"));
  const npm = await unpackFromNpm(context, `npm@${NPM_VERSION}`);
  cpSync(npm, join(root, "usr/local/lib/node_modules/npm"), { recursive: true });
  for (const name of ["npm", "npx"]) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, "usr/local/bin", name));
  await run("tar", ["-C", root, "--numeric-owner", "-cf", join(context, "root.tar"), "."]);
  rmSync(root, { recursive: true });
  const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  writeFileSync(join(context, "Dockerfile"), `FROM scratch\nADD root.tar /\nENV PATH=${path} NODE_VERSION=${version}\nCMD ["node"]\n`);
}

/** Downloads a package without installing it, and gives the directory of its files. */
async function unpackFromNpm(context: string, name: string): Promise<string> {
  const directory = mkdtempSync(join(context, "npm-"));
  const archive = (await run("npm", ["pack", "--silent", "--pack-destination", directory, name], { cwd: directory })).trim();
  await run("tar", ["-C", directory, "-xzf", join(directory, archive)]);
  return join(directory, "package");
}

/** Where this machine's apt gets the Debian archive from. */
async function debianMirror(): Promise<string> {
  const sites = await run("apt-get", ["indextargets", "--format", "$(SITE)", "Created-By: Packages", "Label: Debian"]);
  const mirror = sites.split("\n").find((site) => site !== "");
  if (mirror === undefined) throw new Error("Cannot find where this machine gets Debian packages: run apt-get update first");
  return mirror;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
