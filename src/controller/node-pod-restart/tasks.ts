import { wishOfPod } from "../../core/container-restart/wish-of-pod.js";
import { remember } from "../../core/values/remember.js";
import { createControlLoop } from "../../kube/control-loop.js";
import type { Task } from "../../lib/tasks.js";
import type { ControllerDependencies } from "../dependencies.js";
import { NodePodRestartReconciler } from "./reconciler.js";
import { watchSources } from "./sources.js";

/** Nodes whose objects are built side by side. */
const WORKERS = 4;

/** Keeps one NodePodRestart per node: what updates in progress ask of the node's agent. Call before the informers run. */
export function nodePodRestartTasks(deps: ControllerDependencies): readonly Task[] {
  const { activities, informers, clock, random, metrics } = deps;
  const wishOf = remember(wishOfPod);
  const loop = createControlLoop({
    name: "node-pod-restart",
    reconciler: new NodePodRestartReconciler(deps, { pods: informers.pods.store, activities, wishOf }),
    workers: WORKERS,
    waitFor: [informers.nodes, informers.pods, informers.nodePodRestarts],
    clock,
    random,
    metrics,
    logger: deps.logger.child({ component: "controller/node-pod-restart" }),
  });
  watchSources(deps, wishOf, loop.queue);
  return [loop];
}
