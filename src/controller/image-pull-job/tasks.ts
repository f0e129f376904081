import { createControlLoop } from "../../kube/control-loop.js";
import type { Task } from "../../lib/tasks.js";
import type { ControllerDependencies } from "../dependencies.js";
import { JobWriter } from "./job-writer.js";
import { NodeImageWriter } from "./node-image-writer.js";
import { ImagePullJobReconciler } from "./reconciler.js";
import { connectSources } from "./sources.js";

const NAME = "image-pull-job";
const DEFAULT_WORKERS = 3;

/** Carries out ImagePullJobs. Off with the gates ImagePullJobGate or KruiseDaemon. */
export function imagePullJobTasks(deps: ControllerDependencies): readonly Task[] {
  if (!deps.gates.isEnabled("KruiseDaemon") || !deps.gates.isEnabled("ImagePullJobGate")) return [];
  const { client, clock, events, metrics, random } = deps;
  const { imagePullJobs, nodeImages, nodes, pods } = deps.informers;
  const logger = deps.logger.child({ component: "controller/image-pull-job" });
  const caches = { nodeImages, nodes, pods };
  const writer = new NodeImageWriter({ client, nodeImages });
  const jobWriter = new JobWriter({ client, imagePullJobs, clock });
  const reconciler = new ImagePullJobReconciler({ imagePullJobs, caches, writer, jobWriter, events, clock, random, logger });
  const waitFor = [imagePullJobs, nodeImages, nodes, pods];
  const workers = deps.workers?.imagePullJob ?? DEFAULT_WORKERS;
  const loop = createControlLoop({ name: NAME, reconciler, workers, waitFor, clock, random, logger, metrics });
  connectSources(loop.queue, { ...caches, imagePullJobs });
  return [loop];
}
