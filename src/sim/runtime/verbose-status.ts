import type { SimContainer } from "./entities.js";

/** The `info` of a verbose status as containerd writes it: one JSON text; empty values are left out of `config.envs`. */
export function verboseInfo(container: SimContainer): Readonly<Record<string, string>> {
  const isRunning = container.state === "CONTAINER_RUNNING";
  const info = {
    sandboxID: container.sandboxId,
    pid: isRunning ? (container.pid ?? 4242) : 0,
    removing: false,
    snapshotKey: container.id,
    snapshotter: "overlayfs",
    runtimeType: "io.containerd.runc.v2",
    config: {
      metadata: { name: container.name, ...(container.attempt === 0 ? {} : { attempt: container.attempt }) },
      image: { image: container.image },
      envs: container.envs.map(({ key, value }) => (value === "" ? { key } : { key, value })),
      labels: container.labels,
      annotations: container.annotations,
    },
    runtimeSpec: {
      ociVersion: "1.0.2-dev",
      process: { env: [...container.imageEnvs, ...container.envs].map(({ key, value }) => `${key}=${value}`), cwd: "/" },
    },
  };
  return { info: JSON.stringify(info) };
}
