import type { Condition } from "../../api/meta.js";
import type { ContainerState, ContainerStatus, Pod, PodStatus } from "../../api/pod.js";
import { toTime } from "../api-server/object-rules.js";
import type { SimContainer } from "../runtime/entities.js";
import { latestOf, type ContainerSpec, type PodView, specsOf } from "./pod-spec.js";

/** Why a container that should run does not. */
export interface WaitingReason {
  readonly reason: string;
  readonly message: string;
}

/** What the kubelet knows of a pod when it writes its status. */
export interface StatusFacts {
  readonly view: PodView;
  readonly reasons: ReadonlyMap<string, WaitingReason>;
  readonly podIP: string;
  readonly hostIP: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** The pod has been told to end, and all its containers have. */
  readonly hasEnded: boolean;
  /** What was written last; undefined: nothing yet. */
  readonly previous: PodStatus | undefined;
}

type Verdict = Pick<Condition, "status" | "reason" | "message">;

/** The status of a pod as the kubelet writes it: never conditions of others. Source: spec/recordings (env-update, grace, recreate) */
export function podStatus(pod: Pod, facts: StatusFacts): PodStatus & { readonly hostIP: string } {
  const containerStatuses = specsOf(pod).map((spec) => containerStatus(spec, facts));
  const { sandbox } = facts.view;
  return {
    phase: facts.hasEnded ? endPhase(containerStatuses) : phaseOf(containerStatuses),
    observedGeneration: pod.metadata.generation ?? 1,
    conditions: conditionsOf(pod, containerStatuses, facts),
    hostIP: facts.hostIP,
    ...(sandbox === undefined ? {} : { podIP: facts.podIP }),
    startTime: toTime(facts.startedAtMs),
    containerStatuses,
    qosClass: "BestEffort",
  };
}

function containerStatus(spec: ContainerSpec, { view, reasons, hasEnded }: StatusFacts): ContainerStatus {
  const { name, image = "" } = spec;
  const instances = view.containers.filter((container) => container.name === name);
  const latest = latestOf(view, name);
  const reason = hasEnded ? undefined : reasons.get(name);
  if (latest === undefined || latest.state === "CONTAINER_CREATED") {
    const waiting = reason ?? { reason: "ContainerCreating" };
    return { name, ready: false, restartCount: 0, image, imageID: "", started: false, state: { waiting }, lastState: {} };
  }
  const isRunning = latest.state === "CONTAINER_RUNNING";
  const isWaiting = !isRunning && reason !== undefined;
  const before = isWaiting ? latest : instances[1];
  return {
    name,
    ready: isRunning,
    started: isRunning,
    restartCount: latest.attempt,
    image: latest.image,
    imageID: latest.imageRef,
    containerID: `containerd://${latest.id}`,
    state: isWaiting ? { waiting: reason } : stateOf(latest),
    lastState: before === undefined ? {} : stateOf(before),
  };
}

function stateOf(container: SimContainer): ContainerState {
  const startedAt = timeOf(container.startedAtNs);
  if (container.state === "CONTAINER_RUNNING") return { running: { startedAt } };
  const { exitCode, reason, finishedAtNs, id } = container;
  const ended = { exitCode, reason, startedAt, finishedAt: timeOf(finishedAtNs), containerID: `containerd://${id}` };
  return { terminated: ended };
}

function timeOf(ns: bigint): string {
  return toTime(Number(ns / 1_000_000n));
}

function phaseOf(statuses: readonly ContainerStatus[]): string {
  const isNew = statuses.some(({ state, lastState }) => state?.waiting !== undefined && lastState?.terminated === undefined);
  return isNew ? "Pending" : "Running";
}

function endPhase(statuses: readonly ContainerStatus[]): string {
  return statuses.every(({ state }) => state?.terminated === undefined || state.terminated.exitCode === 0) ? "Succeeded" : "Failed";
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

function conditionsOf(pod: Pod, statuses: readonly ContainerStatus[], facts: StatusFacts): readonly Condition[] {
  const containersReady = facts.hasEnded ? COMPLETED : containersVerdict(statuses);
  const yes: Verdict = { status: "True" };
  const verdicts: readonly (readonly [string, Verdict])[] = [
    ["PodReadyToStartContainers", { status: facts.view.sandbox === undefined ? "False" : "True" }],
    ["Initialized", facts.hasEnded ? { status: "True", reason: "PodCompleted" } : yes],
    ["Ready", containersReady.status === "True" ? gatesVerdict(pod) : containersReady],
    ["ContainersReady", containersReady],
    ["PodScheduled", yes],
  ];
  return verdicts.map(([type, verdict]) => conditionOf(pod, { type, ...verdict }, facts));
}

const COMPLETED: Verdict = { status: "False", reason: "PodCompleted" };

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
function conditionOf({ metadata, status }: Pod, next: Condition, { nowMs, previous = status }: StatusFacts): Condition {
  const before = previous?.conditions?.find(({ type }) => type === next.type);
  const isSame = before?.status === next.status && before.lastTransitionTime !== undefined;
  const lastTransitionTime = isSame ? (before.lastTransitionTime ?? "") : toTime(nowMs);
  return { ...next, observedGeneration: metadata.generation ?? 1, lastTransitionTime };
}
