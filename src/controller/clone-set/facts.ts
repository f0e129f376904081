import type { ContainerFacts, NodePodRestart } from "../../api/node-pod-restart.js";
import type { Pod } from "../../api/pod.js";
import { keyOf } from "../../kube/keys.js";
import type { StoreChange } from "../../kube/store.js";
import type { Counter } from "../../lib/metrics.js";
import type { ControllerDependencies } from "../dependencies.js";

/**
 * What the agent on the pod's own node says about the pod's containers.
 *
 * A node is believed about the pods that run on it and that we asked it about, and about nothing else.
 */
export function factsOf(deps: ControllerDependencies, pod: Pod): readonly ContainerFacts[] | undefined {
  const { nodeName } = pod.spec;
  const uid = pod.metadata.uid;
  const object = nodeName === undefined ? undefined : deps.informers.nodePodRestarts.store.get(nodeName);
  const isAsked = object?.spec.podRestarts?.some((entry) => entry.uid === uid) === true;
  return isAsked ? object.status?.podRestartStatuses?.find((entry) => entry.uid === uid)?.containers : undefined;
}

/** Reports, once for each pod, that a node reports on a pod that it was not asked about or that runs elsewhere. */
export function watchUntrustedReports(deps: ControllerDependencies): void {
  const counter = deps.metrics.counter({
    name: "podmend_untrusted_reports_total",
    help: "Reports of nodes about pods that they were not asked about or that run elsewhere",
    zero: [{}],
  });
  deps.informers.nodePodRestarts.onChange((change) => {
    const { after } = change;
    if (after === undefined) return;
    const known = new Set(untrustedUids(deps, change.before));
    for (const uid of untrustedUids(deps, after)) if (!known.has(uid)) reportUntrusted(deps, { object: after, uid, counter });
  });
}

function untrustedUids(deps: ControllerDependencies, object: NodePodRestart | undefined): readonly string[] {
  // An agent that has not seen the newest spec may still report what the one before asked for.
  if (object?.status?.observedGeneration !== object?.metadata.generation) return [];
  const asked = new Map((object?.spec.podRestarts ?? []).map((entry) => [entry.uid, entry]));
  const reported = (object?.status?.podRestartStatuses ?? []).map(({ uid }) => uid);
  return reported.filter((uid) => {
    const entry = asked.get(uid);
    if (entry === undefined) return true;
    const pod = deps.informers.pods.store.get(`${entry.namespace}/${entry.name}`);
    return pod?.metadata.uid === uid && pod.spec.nodeName !== object?.metadata.name;
  });
}

interface UntrustedReport {
  readonly object: NodePodRestart;
  readonly uid: string;
  readonly counter: Counter;
}

function reportUntrusted(deps: ControllerDependencies, { object, uid, counter }: UntrustedReport): void {
  counter.increment();
  const { name, uid: objectUid } = object.metadata;
  deps.events.record({
    regarding: {
      apiVersion: "node.podmend.io/v1alpha1",
      kind: "NodePodRestart",
      name,
      ...(objectUid === undefined ? {} : { uid: objectUid }),
    },
    type: "Warning",
    reason: "UntrustedReport",
    message: `node "${name}" reports on pod ${uid}, which it was not asked about or which runs elsewhere; the report is ignored`,
  });
}

/** Keys of the pods about which a node's report changed. */
export function podsReportedAnew({ before, after }: StoreChange<NodePodRestart>): readonly string[] {
  const told = new Map((before?.status?.podRestartStatuses ?? []).map((entry) => [entry.uid, JSON.stringify(entry.containers)]));
  const changed = (after?.status?.podRestartStatuses ?? []).filter((entry) => told.get(entry.uid) !== JSON.stringify(entry.containers));
  const uids = new Set(changed.map(({ uid }) => uid));
  const named = after?.spec.podRestarts ?? [];
  return named.filter(({ uid }) => uids.has(uid)).map(({ name, namespace }) => keyOf({ metadata: { name, namespace } }));
}
