import type { ContainerFacts, NodePodRestart } from "../../api/node-pod-restart.js";
import type { Pod } from "../../api/pod.js";
import { doubtedInstances } from "../../core/container-restart/doubted-instances.js";
import { askedByUid, toldByUid } from "../../core/container-restart/node-entries.js";
import { trustedReport } from "../../core/container-restart/trusted-report.js";
import { remember } from "../../core/values/remember.js";
import { keyOfName } from "../../kube/keys.js";
import type { ObjectKey, StoreChange } from "../../kube/store.js";
import type { ControllerDependencies } from "../dependencies.js";

/**
 * What the agent on the pod's own node says about the pod's containers, if it was asked about just this pod. Of an instance that pod status
 * shows and that may have been stopped since then, nobody knows whether it runs; nor whether its next instance would be as the pod says, while
 * the kubelet may hold an older version of the pod (`isSettled` is false).
 */
export function factsOf(deps: ControllerDependencies, pod: Pod, isSettled: boolean): readonly ContainerFacts[] | undefined {
  const object = deps.informers.nodePodRestarts.store.get(pod.spec.nodeName ?? "");
  const doubted = doubtedInstances(object, pod.metadata.uid ?? "");
  return trustedReport(object, pod)?.containers?.map((facts) =>
    (!isSettled || doubted.has(facts.containerID)) && isPosted(pod, facts) ? { ...facts, state: "Unknown" } : facts,
  );
}

function isPosted({ status }: Pod, { containerID }: ContainerFacts): boolean {
  return status?.containerStatuses?.some((posted) => posted.containerID === containerID) === true;
}

/** Keys of the pods about which a node tells something else than before, or for the first time something that counts. */
export function podsReportedAnew({ before, after }: StoreChange<NodePodRestart>): readonly ObjectKey[] {
  const told = before === undefined ? NOTHING : askedReports(before);
  const tells = after === undefined ? NOTHING : askedReports(after);
  const changed = (after?.spec.podRestarts ?? []).filter(({ uid }) => tells.get(uid) !== told.get(uid));
  return changed.map(({ name, namespace }) => keyOfName({ name, namespace }));
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Reports about pods that the spec names, by the pod's uid, in a form to compare. */
const askedReports = remember((object: NodePodRestart): ReadonlyMap<string, string> => {
  const reports = [...toldByUid(object).values()].filter(({ uid }) => askedByUid(object).has(uid));
  return new Map(reports.map(({ uid, containers = [] }) => [uid, JSON.stringify([containers, ...doubtedInstances(object, uid)])]));
});
