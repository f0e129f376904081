import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REGISTRY } from "./addresses.js";
import { daemonFailure, daemonPid, startDaemon } from "./daemon.js";
import { NETWORK } from "./network.js";
import { run, waitUntil } from "./shell.js";
import type { ClusterPaths } from "./state.js";

/** Starts the registry that every image name resolves to, whatever registry the name says. */
export async function startRegistry(paths: ClusterPaths): Promise<void> {
  const directory = join(paths.state, "registry");
  mkdirSync(directory, { recursive: true });
  const config = join(paths.state, "registry.yaml");
  const lines = [
    "version: 0.1",
    "log: {level: warn, accesslog: {disabled: true}}",
    "storage:",
    `  filesystem: {rootdirectory: ${JSON.stringify(directory)}}`,
    "  delete: {enabled: true}",
    'http: {addr: ":5000"}',
  ];
  writeFileSync(config, `${lines.join("\n")}\n`);
  const within = { pid: daemonPid(paths, NETWORK), namespaces: ["-n"] };
  startDaemon(paths, {
    name: "registry",
    command: "docker-registry",
    args: ["serve", config],
    within,
    env: { OTEL_TRACES_EXPORTER: "none" },
  });
  await waitUntil({
    what: '"registry"',
    timeoutMs: 20_000,
    isDone: async () => (await run("nsenter", ["-t", String(within.pid), "-n", "ss", "-Hltn", "sport", "=", ":5000"])) !== "",
    failure: () => daemonFailure(paths, "registry"),
  });
}

/** Copies an image into the registry; `source` is in skopeo's notation, `name` is a repository path with tag, e.g. "app:v1". */
export async function pushImage(paths: ClusterPaths, source: string, name: string): Promise<void> {
  const pid = String(daemonPid(paths, NETWORK));
  const options = ["--insecure-policy", "copy", "--quiet", "--dest-tls-verify=false"];
  await run("nsenter", ["-t", pid, "-n", "skopeo", ...options, source, `docker://${REGISTRY}/${name}`]);
}
