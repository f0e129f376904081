import { availableParallelism } from "node:os";
import { containerRestartTasks } from "../agent/container-restart/tasks.js";
import type { AgentDependencies } from "../agent/dependencies.js";
import { imagePullTasks } from "../agent/image-pull/tasks.js";
import type { KubeObject, Resource } from "../api/meta.js";
import type { NodeImage } from "../api/node-image.js";
import type { NodePodRestart } from "../api/node-pod-restart.js";
import { NODE_IMAGES, NODE_POD_RESTARTS } from "../api/resources.js";
import { wellFormed } from "../core/container-restart/well-formed.js";
import { openCriRuntime } from "../cri/grpc-runtime.js";
import { candidateSockets } from "../cri/sockets.js";
import { createEventRecorder } from "../kube/event-recorder.js";
import { createInformer, type ObservedInformer } from "../kube/reflector.js";
import { runAll } from "../lib/tasks.js";
import { parseAgentConfig, type AgentConfig } from "./agent-config.js";
import { connect, serverAccess, type Connection } from "./connect.js";
import type { Ports } from "./ports.js";
import { startBasics, startHealthServer, type ProcessBasics } from "./process-basics.js";
import { cacheCheck } from "./readiness.js";
import { RuntimeCheck } from "./runtime-check.js";
import { supervise } from "./supervise.js";

/**
 * `podmend agent`: restarts containers and pulls images on one node, as the two objects named after it ask.
 *
 * @returns the exit code
 * @throws {TypeError} for a mistake in flags or environment, before anything starts
 */
export async function runAgent(ports: Ports, signal: AbortSignal): Promise<number> {
  const config = parseAgentConfig(ports.process);
  const { flags, gates, ignoredFlags, nodeName } = config;
  const access = await serverAccess(flags, ports);
  const basics = startBasics({ component: "agent", node: nodeName, flags, gates, ignoredFlags, process: ports.process });
  const connection = connect(
    {
      component: "agent",
      access,
      qps: flags["rest-config-qps"],
      burst: flags["rest-config-burst"],
      metrics: basics.metrics,
    },
    ports,
  );
  const options = { shutdownGraceMs: flags["shutdown-grace-seconds"] * 1000, clock: ports.clock, logger: basics.logger };
  return supervise((stop) => work({ config, ports, basics, connection }, stop), options, signal);
}

interface AgentParts {
  readonly config: AgentConfig;
  readonly ports: Ports;
  readonly basics: ProcessBasics;
  readonly connection: Connection;
}

async function work(parts: AgentParts, signal: AbortSignal): Promise<void> {
  const { config, ports, basics, connection } = parts;
  const { clock, random } = ports;
  const { logger, metrics } = basics;
  const { client } = connection;
  const socketPaths = candidateSockets({ runDirectory: config.flags["run-directory"], socketFile: config.flags["socket-file"] });
  const cri = openCriRuntime({ socketPaths, clock, logger, metrics });
  try {
    const nodePodRestarts = ownInformer<NodePodRestart>(NODE_POD_RESTARTS, parts, wellFormed);
    const nodeImages = ownInformer<NodeImage>(NODE_IMAGES, parts);
    const events = createEventRecorder({
      client,
      component: "podmend-agent",
      instance: config.nodeName,
      host: config.nodeName,
      clock,
      random,
      logger,
      metrics,
    });
    const runtimeCheck = new RuntimeCheck({ runtime: cri.runtime, clock, logger });
    const checks = [runtimeCheck, cacheCheck("node-pod-restarts", nodePodRestarts), cacheCheck("node-images", nodeImages)];
    const health = await startHealthServer(config.flags.addr, checks, basics);
    const deps: AgentDependencies = {
      nodeName: config.nodeName,
      client,
      runtime: cri.runtime,
      images: cri.images,
      events,
      gates: config.gates,
      clock,
      random,
      logger,
      metrics,
      cpuCount: availableParallelism(),
      maxParallelPulls: config.flags["max-workers-for-pull-image"],
      informers: { nodePodRestarts, nodeImages },
    };
    const features = [...containerRestartTasks(deps), ...imagePullTasks(deps)];
    await runAll([health, runtimeCheck, events, nodePodRestarts, nodeImages, ...features], signal);
  } finally {
    cri.close();
    await connection.close();
  }
}

/** A cache of the one object that is named after this node. */
function ownInformer<T extends KubeObject>(resource: Resource, parts: AgentParts, project = (raw: T): T => raw): ObservedInformer<T> {
  const { config, ports, basics, connection } = parts;
  return createInformer<T>({
    resource,
    project,
    client: connection.client,
    list: { fieldSelector: `metadata.name=${config.nodeName}` },
    clock: ports.clock,
    random: ports.random,
    logger: basics.logger,
    metrics: basics.metrics,
  });
}
