import { createControlLoop } from "../../kube/control-loop.js";
import type { Task } from "../../lib/tasks.js";
import type { AgentDependencies } from "../dependencies.js";
import { CalledStops } from "./called-stops.js";
import { ContainerRestartReconciler } from "./reconciler.js";
import { ReportBook } from "./report-book.js";
import { RestartEvents } from "./restart-events.js";
import { StatusWriter } from "./status-writer.js";
import { StopRunner } from "./stop-runner.js";

/** Pods looked at side by side: as many as a node has, so that those that wait together look together. Stops run beside them. */
const WORKERS = 128;
const BACKOFF = { initialMs: 100, maxMs: 5_000, jitter: 0.2 };

/** Restarts containers of this node as its NodePodRestart asks, and reports on them. Call before the informers run. */
export function containerRestartTasks(deps: AgentDependencies): readonly Task[] {
  const { nodePodRestarts } = deps.informers;
  const ownDeps = { ...deps, logger: deps.logger.child({ component: "agent/container-restart" }) };
  const book = new ReportBook(() => nodePodRestarts.store.get(deps.nodeName));
  const writer = new StatusWriter(ownDeps, book);
  const calledStops = new CalledStops(deps.clock);
  const runner = new StopRunner(ownDeps, { writer, events: new RestartEvents(ownDeps), calledStops });
  const reconciler = new ContainerRestartReconciler(ownDeps, { book, writer, runner, calledStops });
  const loop = createControlLoop({
    ...ownDeps,
    name: "container-restart",
    reconciler,
    workers: WORKERS,
    waitFor: [nodePodRestarts],
    backoff: BACKOFF,
  });
  nodePodRestarts.onChange((change) => {
    if (change.key !== deps.nodeName) return;
    for (const podUid of reconciler.noteChange(change)) loop.queue.add(podUid);
  });
  runner.onEnd = (end) => {
    reconciler.noteStopEnd(end);
    loop.queue.add(end.order.podUid);
  };
  return [runner, writer, loop];
}
