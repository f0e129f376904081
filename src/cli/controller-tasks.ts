import { cloneSetTasks } from "../controller/clone-set/tasks.js";
import type { ControllerDependencies } from "../controller/dependencies.js";
import { imagePullJobTasks } from "../controller/image-pull-job/tasks.js";
import { nodeImageTasks } from "../controller/node-image/tasks.js";
import { nodePodRestartTasks } from "../controller/node-pod-restart/tasks.js";
import { PodActivities } from "../controller/pod-activities.js";
import { createEventRecorder } from "../kube/event-recorder.js";
import { createLeaderElector } from "../kube/leader-election.js";
import { runAll, type Task } from "../lib/tasks.js";
import type { ReadinessCheck } from "../observe/health-server.js";
import { createControllerInformers, type ControllerInformers } from "./controller-informers.js";
import { cacheCheck, leaseCheck, whileLeading } from "./readiness.js";

const LEASE_NAME = "podmend-controller";

/** What a controller is made from: who it is, and the machine and the server around it. */
export interface ControllerParts extends Omit<ControllerDependencies, "activities" | "events" | "informers"> {
  /** Who we are among the controllers that want to lead. */
  readonly identity: string;
  /** Where the Lease is. */
  readonly namespace: string;
  /** Whether to work only while holding the Lease. */
  readonly mustLead: boolean;
}

/** A controller that is wired and not started. */
export interface Controller {
  readonly task: Task;
  readonly checks: readonly ReadinessCheck[];
}

/** Wires a controller; nothing runs or is sent before its task does. */
export function createController(parts: ControllerParts): Controller {
  const { client, clock, random, logger, metrics, identity, namespace, mustLead } = parts;
  // Caches are filled only while leading: a new leader begins with a list that holds all that the old one wrote.
  const informers = createControllerInformers({ client, clock, random, logger, metrics });
  const lead = (signal: AbortSignal): Promise<void> => runAll(leaderTasks(parts, informers), signal);
  const synced = Object.entries(informers).map(([name, informer]) => cacheCheck(kebabCase(name), informer));
  if (!mustLead) return { task: { name: "leading", run: lead }, checks: synced };
  const elector = createLeaderElector({ client, lease: { namespace, name: LEASE_NAME }, identity, clock, random, logger, metrics });
  const run = (signal: AbortSignal): Promise<void> => elector.run(lead, signal);
  return { task: { name: "leading", run }, checks: [leaseCheck(elector), ...whileLeading(elector, synced)] };
}

function leaderTasks({ identity, ...parts }: ControllerParts, informers: ControllerInformers): readonly Task[] {
  const { client, clock, random, logger, metrics, gates } = parts;
  const events = createEventRecorder({ client, component: "podmend-controller", instance: identity, clock, random, logger, metrics });
  const activities = new PodActivities(informers.pods, clock);
  const deps: ControllerDependencies = { ...parts, activities, events, informers };
  const features: Task[] = [...cloneSetTasks(deps)];
  if (gates.isEnabled("KruiseDaemon")) features.push(...nodePodRestartTasks(deps), ...nodeImageTasks(deps));
  if (gates.isEnabled("ImagePullJobGate")) features.push(...imagePullJobTasks(deps));
  return [events, ...Object.values(informers), ...features];
}

function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
