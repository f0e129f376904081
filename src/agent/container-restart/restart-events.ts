import type { NodePodRestart } from "../../api/node-pod-restart.js";
import { NODE_POD_RESTARTS } from "../../api/resources.js";
import { failureFields } from "../../kube/failure-fields.js";
import { failureMessage } from "../../lib/failure.js";
import type { Counter } from "../../lib/metrics.js";
import type { AgentDependencies } from "../dependencies.js";
import type { StopOrder } from "./stop-runner.js";

/** Tells people about stops: in the log, by metrics, and by events about the node's own object, the only one the agent may speak of. */
export class RestartEvents {
  readonly #deps: AgentDependencies;
  readonly #stops: Counter;

  constructor(deps: AgentDependencies) {
    this.#deps = deps;
    this.#stops = deps.metrics.counter({
      name: "podmend_container_stops_total",
      help: "Stops of containers that the controller asked for, by result",
      labels: ["result"],
      zero: [{ result: "succeeded" }, { result: "failed" }],
    });
  }

  stopped(order: StopOrder): void {
    this.#stops.increment({ result: "succeeded" });
    this.#deps.logger.info("Container stopped", fieldsOf(order));
    this.#record("Normal", "ContainerStopped", `Stopped ${describe(order)}`);
  }

  stopFailed(order: StopOrder, failure: unknown): void {
    this.#stops.increment({ result: "failed" });
    this.#deps.logger.warn("Container stop fails", { ...fieldsOf(order), ...failureFields(failure) });
    this.#record("Warning", "StopFailed", `Cannot stop ${describe(order)}: ${failureMessage(failure)}`);
  }

  preStopFailed(order: StopOrder, problem: string): void {
    this.#deps.logger.warn("Pre-stop handler fails", { ...fieldsOf(order), problem });
    const reason = order.preStop?.type === "unsupported" ? "PreStopUnsupported" : "PreStopFailed";
    this.#record("Warning", reason, `The preStop handler of ${describe(order)} did not do its work: ${problem}`);
  }

  #record(type: "Normal" | "Warning", reason: string, message: string): void {
    const object = this.#deps.informers.nodePodRestarts.store.get(this.#deps.nodeName);
    if (object !== undefined) this.#deps.events.record({ regarding: referenceTo(object), type, reason, message });
  }
}

function referenceTo({ metadata }: NodePodRestart) {
  const { group, version, kind } = NODE_POD_RESTARTS;
  return { apiVersion: `${group}/${version}`, kind, name: metadata.name, uid: metadata.uid ?? "" };
}

function describe({ container, pod }: StopOrder): string {
  return `container "${container}" of pod "${pod}"`;
}

function fieldsOf({ pod, podUid, container, instanceId, graceSeconds }: StopOrder) {
  return { pod, podUid, container, containerId: instanceId.slice(0, 12), graceSeconds };
}
