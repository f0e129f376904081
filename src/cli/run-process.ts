import type { KubeClient } from "../kube/client.js";
import type { HealthServer, ReadinessCheck } from "../observe/health-server.js";
import { type AccessFlags, connect, serverAccess } from "./connect.js";
import type { Ports } from "./ports.js";
import { type BasicsOptions, type ProcessBasics, startBasics, startHealthServer } from "./process-basics.js";
import { supervise } from "./supervise.js";

/** One of the two long-lived processes, before it starts. */
export interface ProcessSpec extends Pick<BasicsOptions, "component" | "node"> {
  readonly config: Pick<BasicsOptions, "gates" | "ignoredFlags"> & {
    readonly flags: AccessFlags & BasicsOptions["flags"] & { readonly "shutdown-grace-seconds": number };
  };
  /** Requests to the API server: a second, and at once. 0: the client's defaults. */
  readonly rate: { readonly qps: number; readonly burst: number };
  readonly ports: Ports;
}

/** What a process's work finds when it begins. */
export interface RunningProcess extends ProcessBasics {
  readonly client: KubeClient;
  readonly startHealthServer: (checks: readonly ReadinessCheck[]) => Promise<HealthServer>;
}

/**
 * Starts what both processes need, runs `work` until the signal aborts, and lets go of it all.
 *
 * @returns the exit code
 * @throws {TypeError} for a mistake in flags or environment, before anything starts
 */
export async function runProcess(
  { component, node, config, rate, ports }: ProcessSpec,
  work: (process: RunningProcess, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  const { flags, gates, ignoredFlags } = config;
  const access = await serverAccess(flags, ports);
  const named = node === undefined ? {} : { node };
  const basics = startBasics({ component, ...named, flags, gates, ignoredFlags, process: ports.process });
  const connection = connect({ component, access, ...rate, metrics: basics.metrics }, ports);
  const running = {
    ...basics,
    client: connection.client,
    startHealthServer: (checks: readonly ReadinessCheck[]) => startHealthServer(flags.addr, checks, basics),
  };
  const options = { shutdownGraceMs: flags["shutdown-grace-seconds"] * 1000, clock: ports.clock, logger: basics.logger };
  return supervise((stop) => work(running, stop).finally(() => connection.close()), options, signal);
}
