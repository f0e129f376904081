import { createControlLoop } from "../../kube/control-loop.js";
import type { Task } from "../../lib/tasks.js";
import type { ControllerDependencies } from "../dependencies.js";
import { NodeImageReconciler } from "./reconciler.js";
import { connectSources } from "./sources.js";

const NAME = "node-image";
const DEFAULT_WORKERS = 3;

/** Gives every node its NodeImage and clears what nobody needs from it. Off with the gate KruiseDaemon. */
export function nodeImageTasks(deps: ControllerDependencies): readonly Task[] {
  if (!deps.gates.isEnabled("KruiseDaemon")) return [];
  const { client, clock, random, metrics } = deps;
  const { nodes, nodeImages, imagePullJobs } = deps.informers;
  const logger = deps.logger.child({ component: "controller/node-image" });
  const reconciler = new NodeImageReconciler({ client, clock, logger, nodes, nodeImages, imagePullJobs });
  const waitFor = [nodes, nodeImages, imagePullJobs];
  const workers = deps.workers?.nodeImage ?? DEFAULT_WORKERS;
  const loop = createControlLoop({ name: NAME, reconciler, workers, waitFor, clock, random, logger, metrics });
  connectSources(loop.queue, { nodes, nodeImages, imagePullJobs });
  return [loop];
}
