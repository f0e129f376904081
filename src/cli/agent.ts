import { availableParallelism } from "node:os";
import { openCriRuntime } from "../cri/grpc-runtime.js";
import { candidateSockets } from "../cri/sockets.js";
import { runAll } from "../lib/tasks.js";
import { parseAgentConfig } from "./agent-config.js";
import { createAgent } from "./agent-tasks.js";
import type { Ports } from "./ports.js";
import { type RunningProcess, runProcess } from "./run-process.js";

/**
 * `podmend agent`: restarts containers and pulls images on one node, as the two objects named after it ask.
 *
 * @returns the exit code
 * @throws {TypeError} for a mistake in flags or environment, before anything starts
 */
export async function runAgent(ports: Ports, signal: AbortSignal): Promise<number> {
  const config = parseAgentConfig(ports.process);
  const { flags, gates, nodeName } = config;
  const rate = { qps: flags["rest-config-qps"], burst: flags["rest-config-burst"] };
  return runProcess({ component: "agent", node: nodeName, config, rate, ports }, work, signal);

  async function work({ client, logger, metrics, startHealthServer }: RunningProcess, stop: AbortSignal): Promise<void> {
    const { clock, random } = ports;
    const socketPaths = candidateSockets({ runDirectory: flags["run-directory"], socketFile: flags["socket-file"] });
    const cri = openCriRuntime({ socketPaths, clock, logger, metrics });
    try {
      const { tasks, checks } = createAgent({
        nodeName,
        client,
        runtime: cri.runtime,
        images: cri.images,
        gates,
        clock,
        random,
        logger,
        metrics,
        cpuCount: availableParallelism(),
        maxParallelPulls: flags["max-workers-for-pull-image"],
      });
      await runAll([await startHealthServer(checks), ...tasks], stop);
    } finally {
      cri.close();
    }
  }
}
