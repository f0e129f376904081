import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type Daemon, startDaemon } from "./daemon.js";
import { eventually } from "./eventually.js";

const run = promisify(execFile);

/** Program to Debian package. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ["busybox", "busybox-static"],
  ["containerd", "containerd"],
  ["docker-registry", "docker-registry"],
  ["runc", "runc"],
  ["skopeo", "skopeo"],
  ["umoci", "umoci"],
]);

/** An image that `startContainerd` puts into its registry; all hold busybox. */
export interface RegistryImage {
  readonly name: string;
  readonly entrypoint: readonly string[];
  readonly envs?: readonly string[];
}

/** A containerd of our own, with its own registry; nothing of the machine's is touched. */
export interface Containerd {
  readonly socketPath: string;
  /** Host and port of the registry, for references. */
  readonly registry: string;
  /** Host and port of a registry that takes requests and never answers. */
  readonly stalledRegistry: string;
  /** Kills it; its containers live on. */
  kill(): Promise<void>;
  /** Starts it again on the same socket and state. */
  restart(): Promise<void>;
  /** Ends everything that it started and removes its files. Remove the sandboxes first. */
  close(): Promise<void>;
}

/** Why containerd cannot be started on this machine, with the command to run; undefined if it can. */
export function containerdProblem(): string | undefined {
  if (process.getuid?.() !== 0) return "a container runtime needs root";
  const missing = [...NEEDED].filter(([program]) => !isInstalled(program)).map(([, debianPackage]) => debianPackage);
  if (missing.length === 0) return undefined;
  return `run: apt-get update && apt-get install -y --no-install-recommends --no-remove ${missing.join(" ")}`;
}

/** Starts Debian's containerd in a temporary directory and a mount namespace of its own, and a registry with the images. */
export async function startContainerd(images: readonly RegistryImage[]): Promise<Containerd> {
  const directory = mkdtempSync(join(tmpdir(), "podmend-ctrd-"));
  const socketPath = join(directory, "containerd.sock");
  const registryPort = await freePort();
  const registry = startRegistry(directory, registryPort);
  await eventually(() => fetch(`http://127.0.0.1:${registryPort}/v2/`), 10_000, 50);
  await pushImages(directory, `127.0.0.1:${registryPort}`, images);
  const stalled = await startStalledServer();
  writeFileSync(join(directory, "config.toml"), configText(directory, `127.0.0.1:${registryPort}`));
  let containerd = await serve(directory, socketPath);
  return {
    socketPath,
    registry: `127.0.0.1:${registryPort}`,
    stalledRegistry: `127.0.0.1:${(stalled.address() as AddressInfo).port}`,
    kill: () => containerd.end("SIGKILL"),
    async restart() {
      containerd = await serve(directory, socketPath);
    },
    async close() {
      await containerd.end("SIGTERM");
      await registry.end("SIGKILL");
      stalled.closeAllConnections();
      stalled.close();
      killShims(socketPath);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function isInstalled(program: string): boolean {
  const directories = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  return directories.some((directory) => existsSync(join(directory, program)));
}

async function serve(directory: string, socketPath: string): Promise<Daemon> {
  rmSync(socketPath, { force: true });
  // Its mounts vanish with the last process in this namespace.
  const args = ["--mount", "--propagation", "private", "containerd", "--config", join(directory, "config.toml")];
  const daemon = startDaemon(join(directory, "containerd.log"), "unshare", args);
  await eventually(
    () => {
      if (!existsSync(socketPath)) throw new Error(`Cannot start "containerd": no socket yet; ${daemon.logTail()}`);
    },
    20_000,
    20,
  );
  return daemon;
}

/** Loopback registries are spoken to in plain HTTP by default. */
function configText(directory: string, registry: string): string {
  const path = (name: string): string => JSON.stringify(join(directory, name));
  return `
version = 2
root = ${path("root")}
state = ${path("state")}
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
address = ${path("containerd.sock")}
[plugins."io.containerd.internal.v1.opt"]
path = ${path("opt")}
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${registry}/pause:v1"
disable_cgroup = true
disable_apparmor = true
restrict_oom_score_adj = true
stream_server_address = "127.0.0.1"
stream_server_port = "0"
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "native"
[plugins."io.containerd.grpc.v1.cri".cni]
conf_dir = ${path("cni")}
`;
}

function startRegistry(directory: string, port: number): Daemon {
  const config = join(directory, "registry.yaml");
  const root = JSON.stringify(join(directory, "registry"));
  writeFileSync(
    config,
    `version: 0.1\nlog: {level: warn, accesslog: {disabled: true}}\nstorage: {filesystem: {rootdirectory: ${root}}}\nhttp: {addr: "127.0.0.1:${port}"}\n`,
  );
  return startDaemon(join(directory, "registry.log"), "env", ["OTEL_TRACES_EXPORTER=none", "docker-registry", "serve", config]);
}

async function pushImages(directory: string, registry: string, images: readonly RegistryImage[]): Promise<void> {
  const layout = join(directory, "layout");
  const root = join(directory, "busybox");
  for (const name of ["bin", "proc", "sys", "dev", "etc", "tmp"]) mkdirSync(join(root, name), { recursive: true });
  await run("cp", [(await run("which", ["busybox"])).stdout.trim(), join(root, "bin/busybox")]);
  for (const applet of ["sh", "sleep", "cat", "echo", "env"]) await run("ln", ["-s", "busybox", join(root, "bin", applet)]);
  await run("umoci", ["init", "--layout", layout]);
  await run("umoci", ["new", "--image", `${layout}:base`]);
  await run("umoci", ["insert", "--image", `${layout}:base`, root, "/"]);
  for (const image of images) {
    const tag = image.name.replace(":", "-");
    const words = image.entrypoint.flatMap((word) => ["--config.entrypoint", word]);
    const envs = ["PATH=/bin", ...(image.envs ?? [])].flatMap((entry) => ["--config.env", entry]);
    await run("umoci", ["config", "--image", `${layout}:base`, "--tag", tag, ...words, ...envs]);
    const options = ["--insecure-policy", "copy", "--quiet", "--dest-tls-verify=false"];
    await run("skopeo", [...options, `oci:${layout}:${tag}`, `docker://${registry}/${image.name}`]);
  }
}

function startStalledServer(): Promise<Server> {
  const server = createServer(() => undefined);
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function freePort(): Promise<number> {
  const server = createTcpServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** What a test that failed half-way left: shims name our socket in their arguments, and what they run descends from them. */
function killShims(socketPath: string): void {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const shims = new Set(processes.filter((pid) => read(`/proc/${pid}/cmdline`).split("\0").includes(socketPath)));
  for (const pid of processes) {
    const parent =
      read(`/proc/${pid}/stat`)
        .replace(/^.*\) /s, "")
        .split(" ")[1] ?? "";
    if (shims.has(pid) || shims.has(parent)) kill(Number(pid));
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // ended meanwhile
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // ended meanwhile
  }
}
