import type { ContainerState, ContainerStatus, Pod, PodStatus } from "../../api/pod.js";
import { toTime } from "../api-server/object-rules.js";
import type { SimContainer, SimSandbox } from "../runtime/entities.js";
import { conditionsOf } from "./pod-conditions.js";
import { type ContainerSpec, type PodView, specsOf } from "./pod-spec.js";

/** Why a container that should run does not. */
export interface WaitingReason {
  readonly reason: string;
  readonly message: string;
}

/** What probes say of a running container; `before` is what the status said of it until now. */
export interface ProbeVerdicts {
  isStarted(container: SimContainer, before: ContainerStatus | undefined): boolean;
  isReady(container: SimContainer, before: ContainerStatus | undefined): boolean;
}

/** What the kubelet knows of a pod when it writes its status. */
export interface StatusFacts {
  readonly view: PodView;
  readonly reasons: ReadonlyMap<string, WaitingReason>;
  readonly probes: ProbeVerdicts;
  readonly hostIP: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** The pod has been told to end, and all its containers have. */
  readonly hasEnded: boolean;
  /** What was written last, by whatever kubelet; undefined: nothing yet. */
  readonly previous: PodStatus | undefined;
}

const LOST = { exitCode: 137, reason: "ContainerStatusUnknown" } as const;

/** The status of a pod as the kubelet writes it: never conditions of others. Source: spec/recordings (env-update, grace, recreate) */
export function podStatus(pod: Pod, facts: StatusFacts): PodStatus & { readonly hostIP: string } {
  const { view, previous, hasEnded } = facts;
  const containerStatuses = specsOf(pod)
    .map((spec) => containerStatus(pod, spec, facts))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const endPhase = hasEnded ? endPhaseOf(containerStatuses) : undefined;
  return {
    phase: endPhase ?? phaseOf(containerStatuses),
    observedGeneration: pod.metadata.generation ?? 1,
    conditions: conditionsOf(pod, containerStatuses, { ...facts, hasSandbox: view.sandbox !== undefined, endPhase }),
    hostIP: facts.hostIP,
    ...addressOf(view.sandbox, previous),
    startTime: previous?.startTime ?? toTime(facts.startedAtMs),
    containerStatuses,
    qosClass: "BestEffort",
  };
}

function addressOf(sandbox: SimSandbox | undefined, previous: PodStatus | undefined): { readonly podIP?: string } {
  const podIP = sandbox === undefined ? undefined : (sandbox.ip ?? previous?.podIP);
  return podIP === undefined ? {} : { podIP };
}

/** The same status with one container ready or started or not: what a probe changes before anything else is looked at. */
export function withProbeResult(pod: Pod, status: PodStatus, change: ProbeChange): PodStatus {
  const { containerStatuses = [] } = status;
  const next = containerStatuses.map((shown) =>
    shown.containerID === `containerd://${change.containerId}` ? { ...shown, ...change.set } : shown,
  );
  const hasSandbox =
    status.conditions?.some((condition) => condition.type === "PodReadyToStartContainers" && condition.status === "True") === true;
  const conditions = conditionsOf(pod, next, { hasSandbox, endPhase: undefined, nowMs: change.nowMs, previous: status });
  return { ...status, conditions, containerStatuses: next };
}

export interface ProbeChange {
  readonly containerId: string;
  readonly set: Pick<ContainerStatus, "ready"> | { readonly started: boolean };
  readonly nowMs: number;
}

function containerStatus(pod: Pod, spec: ContainerSpec, facts: StatusFacts): ContainerStatus {
  const before = facts.previous?.containerStatuses?.find(({ name }) => name === spec.name);
  const [latest, older] = facts.view.containers.filter(({ name }) => name === spec.name);
  const shown = latest === undefined ? withoutInstance(pod, spec, before) : shownInstance(latest, { older, before, facts });
  const reason = facts.hasEnded || latest?.state === "CONTAINER_RUNNING" ? undefined : facts.reasons.get(spec.name);
  return reason === undefined ? shown : waiting(shown, reason);
}

/** A container that should run and cannot: what it was last moves to the past. */
function waiting({ state, lastState, ...shown }: ContainerStatus, reason: WaitingReason): ContainerStatus {
  const past = state?.terminated === undefined ? lastState : { terminated: state.terminated };
  return { ...shown, state: { waiting: reason }, lastState: past ?? {} };
}

function shownInstance(
  latest: SimContainer,
  { older, before, facts }: { older: SimContainer | undefined; before: ContainerStatus | undefined; facts: StatusFacts },
): ContainerStatus {
  const isStarted = latest.state === "CONTAINER_RUNNING" && facts.probes.isStarted(latest, before);
  return {
    name: latest.name,
    ready: isStarted && facts.probes.isReady(latest, before),
    started: isStarted,
    restartCount: latest.attempt,
    image: latest.image,
    imageID: latest.imageRef,
    containerID: `containerd://${latest.id}`,
    state: stateOf(latest),
    lastState: older === undefined ? {} : stateOf(older),
  };
}

/** The runtime has nothing of the container: it is new, or what there was of it is lost. */
function withoutInstance(pod: Pod, { name, image = "" }: ContainerSpec, before: ContainerStatus | undefined): ContainerStatus {
  const fresh = {
    name,
    ready: false,
    restartCount: 0,
    image,
    imageID: "",
    started: false,
    state: { waiting: { reason: "ContainerCreating" } },
    lastState: {},
  };
  if (before === undefined) return fresh;
  if (before.state?.terminated !== undefined) return { ...before, ready: false, started: false };
  const { restartCount, lastState = {} } = before;
  if (before.state?.running === undefined) return { ...fresh, restartCount, lastState };
  const isRestart = pod.metadata.deletionTimestamp === undefined;
  const past = lastState.terminated === undefined ? { terminated: LOST } : lastState;
  return { ...fresh, restartCount: restartCount + (isRestart ? 1 : 0), lastState: past };
}

function stateOf(container: SimContainer): ContainerState {
  if (container.state === "CONTAINER_CREATED") return { waiting: {} };
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

function endPhaseOf(statuses: readonly ContainerStatus[]): string {
  return statuses.every(({ state }) => state?.terminated === undefined || state.terminated.exitCode === 0) ? "Succeeded" : "Failed";
}
