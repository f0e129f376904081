import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { run, runShown, say, succeeds } from "./shell.js";

/** Debian packages that the cluster is made of. */
export const PACKAGES = [
  "buildah",
  "busybox-static",
  "conntrack",
  "containerd",
  "containernetworking-plugins",
  "debootstrap",
  "docker-registry",
  "ethtool",
  "iproute2",
  "iptables",
  "openssl",
  "runc",
  "skopeo",
  "socat",
  "umoci",
  "util-linux",
] as const;

const OLDEST_GO = { major: 1, minor: 25 } as const;
const SERVICE_POLICY = "/usr/sbin/policy-rc.d";
const SAVED_SERVICE_POLICY = `${SERVICE_POLICY}.before-podmend`;

/** Something that the cluster needs and this machine lacks; the message says what to do about it. */
export class MissingPrerequisite extends Error {}

/**
 * Makes sure that this machine has what the cluster needs.
 *
 * @param mayInstall whether missing Debian packages are installed instead of reported
 * @throws {MissingPrerequisite} with the command to run
 */
export async function ensurePrerequisites(mayInstall: boolean): Promise<void> {
  if (process.getuid?.() !== 0) throw new MissingPrerequisite("Cannot start a cluster: namespaces and mounts need root; run as root");
  await ensurePackages(mayInstall);
  await ensureGo();
}

async function ensurePackages(mayInstall: boolean): Promise<void> {
  if (!existsSync("/usr/bin/dpkg-query"))
    throw new MissingPrerequisite("Cannot check packages: this is not Debian; the cluster runs on Debian 12 or later");
  const missing = await missingPackages();
  if (missing.length === 0) return;
  const install = ["install", "-y", "--no-install-recommends", "--no-remove", ...missing];
  if (!mayInstall)
    throw new MissingPrerequisite(`Missing packages. Run (or use --install):\n  apt-get update && apt-get ${install.join(" ")}`);
  say(`Installing Debian packages, services not started: ${missing.join(" ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await runShown("apt-get", ["-qq", "update"], { env });
  await withoutStartingServices(() => runShown("apt-get", ["-qq", ...install], { env }));
}

async function missingPackages(): Promise<readonly string[]> {
  const listing = await run("dpkg-query", ["-W", "-f", "${Package} ${db:Status-Status}\n"]);
  const installed = new Set(
    listing
      .split("\n")
      .filter((line) => line.endsWith(" installed"))
      .map((line) => line.split(" ")[0]),
  );
  return PACKAGES.filter((name) => !installed.has(name));
}

/** Debian asks this file before it starts a service; 101 means no. */
async function withoutStartingServices(install: () => Promise<void>): Promise<void> {
  // A saved one is left by a killed run: then the present one is ours.
  if (existsSync(SERVICE_POLICY) && !existsSync(SAVED_SERVICE_POLICY)) renameSync(SERVICE_POLICY, SAVED_SERVICE_POLICY);
  writeFileSync(SERVICE_POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    await install();
  } finally {
    rmSync(SERVICE_POLICY, { force: true });
    if (existsSync(SAVED_SERVICE_POLICY)) renameSync(SAVED_SERVICE_POLICY, SERVICE_POLICY);
  }
}

async function ensureGo(): Promise<void> {
  const wanted = `Go >= ${OLDEST_GO.major}.${OLDEST_GO.minor}, which builds the cluster's programs`;
  if (!(await succeeds("go", ["version"])))
    throw new MissingPrerequisite(`Missing: ${wanted}. Install it from your usual source and put "go" in PATH`);
  const version = (await run("go", ["env", "GOVERSION"])).trim();
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  const isNewEnough = Number(major) > OLDEST_GO.major || (Number(major) === OLDEST_GO.major && Number(minor) >= OLDEST_GO.minor);
  if (!isNewEnough) throw new MissingPrerequisite(`Found ${version}, but the cluster needs ${wanted}`);
}
