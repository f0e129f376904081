import { cloneSetTasks } from "../controller/clone-set/tasks.js";
import type { ControllerDependencies } from "../controller/dependencies.js";
import { imagePullJobTasks } from "../controller/image-pull-job/tasks.js";
import { nodeImageTasks } from "../controller/node-image/tasks.js";
import { nodePodRestartTasks } from "../controller/node-pod-restart/tasks.js";
import { createEventRecorder } from "../kube/event-recorder.js";
import { createLeaderElector } from "../kube/leader-election.js";
import { runAll, type Task } from "../lib/tasks.js";
import type { ReadinessCheck } from "../observe/health-server.js";
import { connect, serverAccess, type Connection } from "./connect.js";
import { parseControllerConfig, type ControllerConfig } from "./controller-config.js";
import { createControllerInformers, type ControllerInformers } from "./controller-informers.js";
import type { Ports } from "./ports.js";
import { startBasics, startHealthServer, type ProcessBasics } from "./process-basics.js";
import { cacheCheck, leaseCheck, whileLeading } from "./readiness.js";
import { supervise } from "./supervise.js";

const LEASE_NAME = "podmend-controller";
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
  const { flags, gates, ignoredFlags } = config;
  const access = await serverAccess(flags, ports);
  const basics = startBasics({ component: "controller", flags, gates, ignoredFlags, process: ports.process });
  const connection = connect(
    {
      component: "controller",
      access,
      qps: flags["rest-config-qps"] || DEFAULT_QPS,
      burst: flags["rest-config-burst"] || DEFAULT_BURST,
      metrics: basics.metrics,
    },
    ports,
  );
  const options = { shutdownGraceMs: flags["shutdown-grace-seconds"] * 1000, clock: ports.clock, logger: basics.logger };
  return supervise((stop) => work({ config, ports, basics, connection }, stop), options, signal);
}

interface ControllerParts {
  readonly config: ControllerConfig;
  readonly ports: Ports;
  readonly basics: ProcessBasics;
  readonly connection: Connection;
}

async function work(parts: ControllerParts, signal: AbortSignal): Promise<void> {
  const { config, ports, basics, connection } = parts;
  const { clock, random } = ports;
  const { logger, metrics } = basics;
  const { client } = connection;
  const elector = createLeaderElector({
    client,
    lease: { namespace: config.namespace, name: LEASE_NAME },
    identity: config.identity,
    clock,
    random,
    logger,
    metrics,
  });
  // Caches are filled only while leading: a new leader begins with a list that holds all that the old one wrote.
  const informers = createControllerInformers({ client, clock, random, logger, metrics });
  const mustLead = config.flags["enable-leader-election"];
  const checks = mustLead ? [leaseCheck(elector), ...whileLeading(elector, cacheChecks(informers))] : cacheChecks(informers);
  const health = await startHealthServer(config.flags.addr, checks, basics);
  const leading: Task = {
    name: "leading",
    run: (stop) => (mustLead ? elector.run((term) => lead(parts, informers, term), stop) : lead(parts, informers, stop)),
  };
  try {
    await runAll([health, leading], signal);
  } finally {
    await connection.close();
  }
}

async function lead(
  { config, ports, basics, connection }: ControllerParts,
  informers: ControllerInformers,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random } = ports;
  const { logger, metrics } = basics;
  const { client } = connection;
  const events = createEventRecorder({
    client,
    component: "podmend-controller",
    instance: config.identity,
    clock,
    random,
    logger,
    metrics,
  });
  const workers = {
    cloneSet: config.flags["cloneset-workers"],
    imagePullJob: config.flags["imagepulljob-workers"],
    nodeImage: config.flags["nodeimage-workers"],
  };
  const deps: ControllerDependencies = { client, events, gates: config.gates, clock, random, logger, metrics, workers, informers };
  const features: Task[] = [...cloneSetTasks(deps)];
  if (config.gates.isEnabled("KruiseDaemon")) features.push(...nodePodRestartTasks(deps), ...nodeImageTasks(deps));
  if (config.gates.isEnabled("ImagePullJobGate")) features.push(...imagePullJobTasks(deps));
  await runAll([events, ...Object.values(informers), ...features], signal);
}

function cacheChecks(informers: ControllerInformers): readonly ReadinessCheck[] {
  return Object.entries(informers).map(([name, informer]) => cacheCheck(kebabCase(name), informer));
}

function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
