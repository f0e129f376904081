import { createControlLoop } from "../../kube/control-loop.js";
import type { Task } from "../../lib/tasks.js";
import type { ControllerDependencies } from "../dependencies.js";
import { forgetLeavingPods } from "./forget-pods.js";
import { Holds } from "./holds.js";
import { createCloneSetReconciler } from "./reconciler.js";
import { watchSources } from "./sources.js";
import { WaitRegister } from "./wait-register.js";

const DEFAULT_WORKERS = 3;
/** Each try takes the pod out of service for a moment. */
const MAX_UPDATE_HOLD_MS = 300_000;
/** A try costs nothing but a request, and what it waits for (quota, a webhook) says nothing when it is there. */
const MAX_CREATE_HOLD_MS = 20_000;

/** What keeps CloneSets as their specs say. Registers its handlers now, so call it before the informers run. */
export function cloneSetTasks(deps: ControllerDependencies): readonly Task[] {
  const { clock, random, logger, metrics, informers } = deps;
  const holds = new Holds(clock, random, MAX_UPDATE_HOLD_MS);
  const createHolds = new Holds(clock, random, MAX_CREATE_HOLD_MS);
  const unanswered = new Set<string>();
  const waits = new WaitRegister(metrics, clock);
  const reconciler = createCloneSetReconciler({
    deps,
    holds,
    createHolds,
    unanswered,
    waits,
    comeBack: (key, delayMs) => loop.queue.addAfter(key, delayMs),
  });
  const waitFor = [informers.cloneSets, informers.controllerRevisions, informers.pods, informers.nodePodRestarts];
  const workers = deps.workers?.cloneSet ?? DEFAULT_WORKERS;
  const loop = createControlLoop({ name: "clone-set", reconciler, workers, waitFor, clock, random, logger, metrics });
  watchSources(deps, loop.queue);
  forgetLeavingPods(informers.pods, { holds, unanswered, waits });
  informers.cloneSets.onChange(({ before, after }) => {
    if (after === undefined) createHolds.remove(before?.metadata.uid ?? "");
  });
  return [loop];
}
