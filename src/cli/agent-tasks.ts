import { containerRestartTasks } from "../agent/container-restart/tasks.js";
import type { AgentDependencies } from "../agent/dependencies.js";
import { imagePullTasks } from "../agent/image-pull/tasks.js";
import type { KubeObject, Resource } from "../api/meta.js";
import type { NodeImage } from "../api/node-image.js";
import type { NodePodRestart } from "../api/node-pod-restart.js";
import { NODE_IMAGES, NODE_POD_RESTARTS } from "../api/resources.js";
import { wellFormed } from "../core/container-restart/well-formed.js";
import { createEventRecorder } from "../kube/event-recorder.js";
import { createInformer, type ObservedInformer } from "../kube/reflector.js";
import type { Task } from "../lib/tasks.js";
import type { ReadinessCheck } from "../observe/health-server.js";
import { cacheCheck } from "./readiness.js";
import { RuntimeCheck } from "./runtime-check.js";

/** What an agent is made from: its node, and the machine and the servers around it. */
export type AgentParts = Omit<AgentDependencies, "events" | "informers">;

/** An agent that is wired and not started. */
export interface Agent {
  readonly tasks: readonly Task[];
  readonly checks: readonly ReadinessCheck[];
}

/** Wires one node's agent; nothing runs or is sent before its tasks do. */
export function createAgent(parts: AgentParts): Agent {
  const { nodeName, client, runtime, clock, random, logger, metrics } = parts;
  const nodePodRestarts = ownInformer<NodePodRestart>(NODE_POD_RESTARTS, parts, wellFormed);
  const nodeImages = ownInformer<NodeImage>(NODE_IMAGES, parts);
  const events = createEventRecorder({
    client,
    component: "podmend-agent",
    instance: nodeName,
    host: nodeName,
    clock,
    random,
    logger,
    metrics,
  });
  const runtimeCheck = new RuntimeCheck({ runtime, clock, logger });
  const deps: AgentDependencies = { ...parts, events, informers: { nodePodRestarts, nodeImages } };
  return {
    tasks: [runtimeCheck, events, nodePodRestarts, nodeImages, ...containerRestartTasks(deps), ...imagePullTasks(deps)],
    checks: [runtimeCheck, cacheCheck("node-pod-restarts", nodePodRestarts), cacheCheck("node-images", nodeImages)],
  };
}

/** A cache of the one object that is named after this node. */
function ownInformer<T extends KubeObject>(
  resource: Resource,
  { nodeName, client, clock, random, logger, metrics }: AgentParts,
  project = (raw: T): T => raw,
): ObservedInformer<T> {
  return createInformer<T>({
    resource,
    project,
    client,
    list: { fieldSelector: `metadata.name=${nodeName}` },
    clock,
    random,
    logger,
    metrics,
  });
}
