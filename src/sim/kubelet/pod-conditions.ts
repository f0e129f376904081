import type { Condition } from "../../api/meta.js";
import type { ContainerStatus, Pod, PodStatus } from "../../api/pod.js";
import { toTime } from "../api-server/object-rules.js";

type Verdict = Pick<Condition, "status" | "reason" | "message">;

/** What conditions depend on beside the containers. */
export interface ConditionFacts {
  readonly hasSandbox: boolean;
  /** Of a pod that has ended: Succeeded or Failed. */
  readonly endPhase: string | undefined;
  readonly nowMs: number;
  readonly previous: PodStatus | undefined;
}

const ENDED: Readonly<Record<string, Verdict>> = {
  Succeeded: { status: "False", reason: "PodCompleted" },
  Failed: { status: "False", reason: "PodFailed" },
};

/** The kubelet's own conditions of a pod. */
export function conditionsOf(pod: Pod, statuses: readonly ContainerStatus[], facts: ConditionFacts): readonly Condition[] {
  const containersReady = ENDED[facts.endPhase ?? ""] ?? containersVerdict(statuses);
  const yes: Verdict = { status: "True" };
  const verdicts: readonly (readonly [string, Verdict])[] = [
    ["PodReadyToStartContainers", { status: facts.hasSandbox ? "True" : "False" }],
    ["Initialized", facts.endPhase === "Succeeded" ? { status: "True", reason: "PodCompleted" } : yes],
    ["Ready", containersReady.status === "True" ? gatesVerdict(pod) : containersReady],
    ["ContainersReady", containersReady],
    ["PodScheduled", yes],
  ];
  return verdicts.map(([type, verdict]) => conditionOf(pod, { type, ...verdict }, facts));
}

/**
 * Whether a change of conditions by somebody else makes the pod's Ready condition wrong, so that the kubelet must look at the pod.
 * Its own writes never do.
 */
export function isReadinessStale(pod: Pod): boolean {
  const ready = pod.status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined || (pod.spec.readinessGates ?? []).length === 0) return false;
  const containers = containersVerdict(pod.status?.containerStatuses ?? []);
  const wanted = containers.status === "True" ? gatesVerdict(pod) : containers;
  return wanted.status !== ready.status || wanted.message !== ready.message;
}

function containersVerdict(statuses: readonly ContainerStatus[]): Verdict {
  const unready = statuses.filter(({ ready }) => !ready).map(({ name }) => name);
  if (unready.length === 0) return { status: "True" };
  return { status: "False", reason: "ContainersNotReady", message: `containers with unready status: [${unready.join(" ")}]` };
}

function gatesVerdict({ spec, status }: Pod): Verdict {
  const messages = (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = status?.conditions?.find(({ type }) => type === conditionType);
    if (found === undefined) return `corresponding condition of pod readiness gate "${conditionType}" does not exist.`;
    return found.status === "True" ? [] : `the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`;
  });
  return messages.length === 0 ? { status: "True" } : { status: "False", reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}

/** The time of a condition is that of its last change. */
function conditionOf({ metadata, status }: Pod, next: Condition, { nowMs, previous = status }: ConditionFacts): Condition {
  const before = previous?.conditions?.find(({ type }) => type === next.type);
  const isSame = before?.status === next.status && before.lastTransitionTime !== undefined;
  const lastTransitionTime = isSame ? (before.lastTransitionTime ?? "") : toTime(nowMs);
  return { ...next, observedGeneration: metadata.generation ?? 1, lastTransitionTime };
}
