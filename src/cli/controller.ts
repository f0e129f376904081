import { runAll } from "../lib/tasks.js";
import { parseControllerConfig } from "./controller-config.js";
import { createController } from "./controller-tasks.js";
import type { Ports } from "./ports.js";
import { type RunningProcess, runProcess } from "./run-process.js";

/** Decisions for a whole cluster need more requests than the default of one node's agent. */
const DEFAULT_QPS = 200;
const DEFAULT_BURST = 400;

/**
 * `podmend controller`: keeps CloneSets and ImagePullJobs, and tells the agents what their nodes should do, while it holds the Lease.
 *
 * @returns the exit code
 * @throws {TypeError} for a mistake in flags or environment, before anything starts
 */
export async function runController(ports: Ports, signal: AbortSignal): Promise<number> {
  const config = parseControllerConfig(ports.process);
  const { flags, gates, identity, namespace } = config;
  const rate = { qps: flags["rest-config-qps"] || DEFAULT_QPS, burst: flags["rest-config-burst"] || DEFAULT_BURST };
  return runProcess({ component: "controller", config, rate, ports }, work, signal);

  async function work({ client, logger, metrics, startHealthServer }: RunningProcess, stop: AbortSignal): Promise<void> {
    const { clock, random } = ports;
    const workers = {
      cloneSet: flags["cloneset-workers"],
      imagePullJob: flags["imagepulljob-workers"],
      nodeImage: flags["nodeimage-workers"],
    };
    const mustLead = flags["enable-leader-election"];
    const { task, checks } = createController({ client, gates, clock, random, logger, metrics, workers, identity, namespace, mustLead });
    await runAll([await startHealthServer(checks), task], stop);
  }
}
