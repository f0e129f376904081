import type { ContainerFacts, NodePodRestart } from "../../api/node-pod-restart.js";
import type { Pod } from "../../api/pod.js";
import { doubtedInstances, isBehind } from "../../core/container-restart/doubted-instances.js";
import { askedByUid, toldByUid } from "../../core/container-restart/node-entries.js";
import { trustedReport } from "../../core/container-restart/trusted-report.js";
import { annotatedFacts } from "../../core/in-place-update/facts-annotation.js";
import { remember } from "../../core/values/remember.js";
import { keyOfName } from "../../kube/keys.js";
import type { ObjectKey, StoreChange } from "../../kube/store.js";
import type { ControllerDependencies } from "../dependencies.js";

/**
 * What the agent on the pod's own node says about the pod's containers, if it was asked about just this pod. Of an instance that pod status
 * shows and that may have been stopped since then, nobody knows whether it runs; nor whether its next instance would be as the pod says, while
 * the kubelet may hold an older version of the pod. No matter whether the agent has told of it, or only the pod's annotation.
 */
export function factsOf(deps: ControllerDependencies, pod: Pod): readonly ContainerFacts[] | undefined {
  const { activities, informers } = deps;
  const { uid = "" } = pod.metadata;
  const object = informers.nodePodRestarts.store.get(pod.spec.nodeName ?? "");
  const isUnsettled = activities.settlesInMs(uid) > 0;
  const doubted = doubtedInstances(object, uid);
  const told = trustedReport(object, pod)?.containers?.map((facts) =>
    (isUnsettled || doubted.has(facts.containerID)) && isPosted(pod, facts) ? unknown(facts) : facts,
  );
  const untold = isUnsettled || isBehind(object) ? untoldInstances(pod, told) : [];
  return told === undefined && untold.length === 0 ? undefined : [...(told ?? []), ...untold];
}

function untoldInstances(pod: Pod, told: readonly ContainerFacts[] | undefined): readonly ContainerFacts[] {
  const names = new Set(told?.map(({ name }) => name));
  return annotatedInstances(pod).flatMap((facts) => (names.has(facts.name) ? [] : [unknown(facts)]));
}

function isPosted({ status }: Pod, { containerID }: ContainerFacts): boolean {
  return status?.containerStatuses?.some((posted) => posted.containerID === containerID) === true;
}

/** Read once for each version of a pod: it is looked at in every pass. */
const annotatedInstances = remember((pod: Pod): readonly Omit<ContainerFacts, "state">[] =>
  pod.spec.containers.flatMap(({ name }) => annotatedFacts(pod, name) ?? []),
);

function unknown(facts: Omit<ContainerFacts, "state">): ContainerFacts {
  return { ...facts, state: "Unknown" };
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
