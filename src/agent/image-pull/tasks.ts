import { createControlLoop } from "../../kube/control-loop.js";
import type { Task } from "../../lib/tasks.js";
import type { AgentDependencies } from "../dependencies.js";
import { Puller } from "./puller.js";
import { ImagePullReconciler } from "./reconciler.js";
import { createReporter, referenceTo } from "./report.js";
import { connectSources } from "./sources.js";

const NAME = "image-pull";

/** Pulls the images that this node's NodeImage asks for and reports them in its status. */
export function imagePullTasks(deps: AgentDependencies): readonly Task[] {
  const { client, clock, events, images, metrics, nodeName, random } = deps;
  const { nodeImages } = deps.informers;
  const logger = deps.logger.child({ component: "agent/image-pull" });
  const puller = new Puller({ images, clock, maxParallelPulls: deps.maxParallelPulls });
  const regarding = () => {
    const nodeImage = nodeImages.store.get(nodeName);
    return nodeImage === undefined ? undefined : referenceTo(nodeImage);
  };
  puller.onEnd(createReporter({ events, logger, metrics, regarding }));
  const reconciler = new ImagePullReconciler({ client, clock, nodeImages, puller });
  const loop = createControlLoop({ name: NAME, reconciler, workers: 1, waitFor: [nodeImages], clock, random, logger, metrics });
  connectSources(loop.queue, { nodeName, nodeImages, puller });
  return [loop, puller];
}
