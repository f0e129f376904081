import { type CriRuntime, openCriRuntime } from "../../../src/cri/grpc-runtime.js";
import { systemClock } from "../../../src/lib/clock.js";
import { silentLogger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { startRuntime } from "../../../src/sim/runtime/runtime-server.js";
import { startContainerd } from "../../support/containerd.js";
import { neverAborted } from "../../support/cri-fixture.js";
import { eventually } from "../../support/eventually.js";
import { createKubeletClient, type KubeletClient } from "../../support/kubelet-client.js";

/** What a container of the `app` image answers to being asked to end. */
export const APP_EXIT_CODE = 7;
/** The command that both subjects know, and what it leaves. */
export const COMMAND = ["/bin/sh", "-c", "echo out; echo err >&2; exit 3"] as const;
export const IMAGE_ENV = { key: "FROM_IMAGE", value: "image value" } as const;

/** A runtime under test: the model or a real one. */
export interface Subject {
  readonly cri: CriRuntime;
  readonly kubelet: KubeletClient;
  readonly images: {
    /** Ends with APP_EXIT_CODE when asked to. */
    readonly app: string;
    /** The same, but takes a second for it. */
    readonly slow: string;
    /** Ends only when killed. */
    readonly stubborn: string;
    /** Nobody has it. */
    readonly missing: string;
    /** Its pull never ends. */
    readonly stalled: string;
  };
  /** Resolves when the first process of a container of ours is ready to be asked to end. */
  listening(containerId: string): Promise<void>;
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** Our model. */
export async function startModel(): Promise<Subject> {
  const server = await startRuntime();
  const images = {
    app: "127.0.0.1:5000/app:v1",
    slow: "127.0.0.1:5000/slow:v1",
    stubborn: "127.0.0.1:5000/stubborn:v1",
    missing: "127.0.0.1:5000/missing:v1",
    stalled: "127.0.0.1:5001/stalled:v1",
  };
  const { world } = server;
  const envs = [{ key: "PATH", value: "/bin" }, IMAGE_ENV];
  world.images.publish({ reference: images.app, sizeBytes: 4_000_000, envs, program: { termExitCode: APP_EXIT_CODE } });
  world.images.publish({ reference: images.slow, sizeBytes: 4_000_000, envs, program: { termExitCode: APP_EXIT_CODE, stopMs: 1_000 } });
  world.images.publish({ reference: images.stubborn, sizeBytes: 4_000_000, envs, program: { heedsTerm: false } });
  world.images.publish({ reference: images.stalled, sizeBytes: 4_000_000, latencyMs: 3_600_000 });
  world.answerExec = () => ({ exitCode: 3, stdout: "out\n", stderr: "err\n" });
  const clients = connect(server.socketPath);
  return {
    ...clients,
    images,
    listening: async () => undefined,
    goAway: async () => server.goAway(),
    comeBack: () => server.comeBack(),
    async close() {
      clients.cri.close();
      clients.kubelet.close();
      server.close();
    },
  };
}

/** Debian's containerd. */
export async function startRealContainerd(): Promise<Subject> {
  const loop = ": > /listens; while :; do sleep 0.05; done";
  const envs = [`${IMAGE_ENV.key}=${IMAGE_ENV.value}`];
  const containerd = await startContainerd([
    { name: "pause:v1", entrypoint: ["/bin/sleep", "infinity"] },
    { name: "app:v1", entrypoint: ["/bin/sh", "-c", `trap 'exit ${APP_EXIT_CODE}' TERM; ${loop}`], envs },
    { name: "slow:v1", entrypoint: ["/bin/sh", "-c", `trap 'sleep 1; exit ${APP_EXIT_CODE}' TERM; ${loop}`], envs },
    { name: "stubborn:v1", entrypoint: ["/bin/sh", "-c", `trap '' TERM; ${loop}`], envs },
  ]);
  const clients = connect(containerd.socketPath);
  return {
    ...clients,
    images: {
      app: `${containerd.registry}/app:v1`,
      slow: `${containerd.registry}/slow:v1`,
      stubborn: `${containerd.registry}/stubborn:v1`,
      missing: `${containerd.registry}/missing:v1`,
      stalled: `${containerd.stalledRegistry}/stalled:v1`,
    },
    async listening(id) {
      await eventually(async () => {
        const { exitCode } = await clients.cri.runtime.exec(
          { id, command: ["/bin/sh", "-c", "test -e /listens"], timeoutSeconds: 5 },
          neverAborted(),
        );
        if (exitCode !== 0) throw new Error(`the process of ${id} does not listen yet`);
      });
    },
    goAway: () => containerd.kill(),
    comeBack: () => containerd.restart(),
    async close() {
      try {
        await clients.kubelet.removeAll();
      } finally {
        clients.cri.close();
        clients.kubelet.close();
        await containerd.close();
      }
    },
  };
}

function connect(socketPath: string): Pick<Subject, "cri" | "kubelet"> {
  const cri = openCriRuntime({ socketPaths: [socketPath], clock: systemClock, logger: silentLogger, metrics: silentMetrics });
  return { cri, kubelet: createKubeletClient(socketPath) };
}
