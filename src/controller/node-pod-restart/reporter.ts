import type { ObjectReference } from "../../api/meta.js";
import type { NodePodRestart } from "../../api/node-pod-restart.js";
import type { Pod } from "../../api/pod.js";
import { NODE_POD_RESTARTS } from "../../api/resources.js";
import type { RestartReport } from "../../core/container-restart/reports.js";
import type { EventRecorder } from "../../kube/event-recorder.js";
import type { Counter, Gauge, Metrics } from "../../lib/metrics.js";
import { reportMessage } from "./messages.js";

/** What one round found out about one node. */
export interface NodeRound {
  readonly object: NodePodRestart;
  readonly pods: ReadonlyMap<string, Pod>;
  readonly reports: readonly RestartReport[];
  /** Pods that the agent reports about although nobody asked. */
  readonly refused: readonly string[];
}

/** Tells users about restarts that do not get on: once per cause and object, for as long as the cause lasts. */
export class RestartReporter {
  readonly #events: EventRecorder;
  readonly #unresponsive: Gauge;
  readonly #refused: Counter;
  readonly #said = new Map<string, ReadonlySet<string>>();
  readonly #silentNodes = new Set<string>();

  constructor(events: EventRecorder, metrics: Metrics) {
    this.#events = events;
    this.#unresponsive = metrics.gauge({
      name: "podmend_node_agent_unresponsive",
      help: "Nodes whose agent has not answered to a restart request for 30 s",
    });
    this.#unresponsive.set(0);
    this.#refused = metrics.counter({
      name: "podmend_node_reports_refused_total",
      help: "Reports of agents about pods that nobody asked them about",
      zero: [{}],
    });
  }

  tell(round: NodeRound): void {
    const { name } = round.object.metadata;
    const before = this.#said.get(name) ?? new Set();
    const said = new Set<string>();
    const sayOnce = (what: string, say: () => void): void => {
      if (!said.has(what) && !before.has(what)) say();
      said.add(what);
    };
    for (const report of round.reports) this.#tellReport(report, round, sayOnce);
    for (const uid of round.refused) sayOnce(`refused ${uid}`, () => this.#refuse(round.object, uid));
    if (said.size > 0) this.#said.set(name, said);
    else this.#said.delete(name);
    this.#countSilent(
      name,
      round.reports.some(({ reason }) => reason === "AgentNotResponding"),
    );
  }

  /** The node is gone. */
  forget(nodeName: string): void {
    this.#said.delete(nodeName);
    this.#countSilent(nodeName, false);
  }

  #tellReport(report: RestartReport, { object, pods }: NodeRound, sayOnce: (what: string, say: () => void) => void): void {
    const pod = pods.get(report.podUid);
    if (pod === undefined) return;
    const message = reportMessage(report, object.metadata.name);
    const regarding = report.reason === "AgentNotResponding" ? ownersOf(pod) : [podReference(pod), ...ownersOf(pod)];
    for (const target of regarding) {
      const what = `${report.reason} ${target.uid} ${report.container ?? ""}`;
      sayOnce(what, () => this.#events.record({ regarding: target, type: "Warning", reason: report.reason, message }));
    }
  }

  #refuse(object: NodePodRestart, uid: string): void {
    this.#refused.increment();
    const regarding = { ...kindOfNodeObject, name: object.metadata.name, uid: object.metadata.uid ?? "" };
    const message = `The agent reports about the pod with uid "${uid}", about which nobody asked; the report is ignored`;
    this.#events.record({ regarding, type: "Warning", reason: "ReportRefused", message });
  }

  #countSilent(nodeName: string, isSilent: boolean): void {
    if (isSilent) this.#silentNodes.add(nodeName);
    else this.#silentNodes.delete(nodeName);
    this.#unresponsive.set(this.#silentNodes.size);
  }
}

const kindOfNodeObject = { apiVersion: `${NODE_POD_RESTARTS.group}/${NODE_POD_RESTARTS.version}`, kind: NODE_POD_RESTARTS.kind };

function podReference({ metadata }: Pod): ObjectReference {
  return { apiVersion: "v1", kind: "Pod", namespace: metadata.namespace ?? "", name: metadata.name, uid: metadata.uid ?? "" };
}

function ownersOf({ metadata }: Pod): readonly ObjectReference[] {
  return (metadata.ownerReferences ?? [])
    .filter(({ controller }) => controller === true)
    .map(({ apiVersion, kind, name, uid }) => ({ apiVersion, kind, namespace: metadata.namespace ?? "", name, uid }));
}
