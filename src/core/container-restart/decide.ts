import type { RestartRequest, RestartResult } from "../../api/node-pod-restart.js";
import { parseContainerId } from "./container-id.js";
import { type ContainerInstance, newestInstances } from "./instance.js";
import type { PreStopHandler } from "./pre-stop.js";

/** What the runtime told about the live env of one instance; undefined: nobody has asked yet. */
export type LiveEnv = { readonly type: "hash"; readonly hash: number } | { readonly type: "unreadable" } | undefined;

/** What one request is decided on. */
export interface RestartObservation {
  readonly podUid: string;
  /** Scheme of this node's container IDs. */
  readonly runtimeName: string;
  /** Everything the runtime lists for the pod, in any order. */
  readonly instances: readonly ContainerInstance[];
  /** The live env under the request's `envNames`. */
  readonly envOf: (instanceId: string) => LiveEnv;
  /** What this request came to so far, as last written to the status: survives a crash. */
  readonly previous: RestartResult | undefined;
}

/**
 * finish: nothing is left to do or to wait for. wait: look again, for the container to start or to be replaced. inspect: read the
 * env of that instance and decide again. stop: run preStop if given, then stop that instance.
 */
export type RestartDecision =
  | { readonly type: "finish"; readonly result?: RestartResult }
  | { readonly type: "wait"; readonly result?: RestartResult }
  | { readonly type: "inspect"; readonly instanceId: string }
  | { readonly type: "stop"; readonly instanceId: string; readonly graceSeconds: number; readonly preStop: PreStopHandler | undefined };

/**
 * Says what the agent does next about one request. Pure; asked again after every change and after every crash.
 *
 * The states of a stop request, read from the named instance:
 *
 *   not started ──▶ running ──▶ [env differs?] ──▶ stop, again while it still runs ──▶ gone ──▶ wait for the next ──▶ finish
 *                                     └── no ──▶ finish (Skipped)
 *
 * Source: design.md section 3, "One request, one container instance"
 */
export function decideRestart(request: RestartRequest, observed: RestartObservation): RestartDecision {
  const own = observed.instances.filter(({ podUid, container }) => podUid === observed.podUid && container === request.container);
  const newest = newestInstances(own).get(request.container);
  if (request.observe === true) return decideObserve(request, newest, observed);
  return decideStop({ request, observed, own, newest });
}

interface StopFacts {
  readonly request: RestartRequest;
  readonly observed: RestartObservation;
  readonly own: readonly ContainerInstance[];
  readonly newest: ContainerInstance | undefined;
}

function decideObserve(request: RestartRequest, newest: ContainerInstance | undefined, observed: RestartObservation): RestartDecision {
  if (newest?.state !== "Running") return { type: "wait" };
  const env = request.envNames === undefined ? undefined : observed.envOf(newest.id);
  if (request.envNames !== undefined && env === undefined) return { type: "inspect", instanceId: newest.id };
  const isAwaited = request.untilPlainHash !== undefined && newest.plainHash !== request.untilPlainHash;
  const result = env?.type === "unreadable" ? { result: failed(request, "EnvUnreadable", ENV_UNREADABLE) } : {};
  return { type: isAwaited ? "wait" : "finish", ...result };
}

function decideStop(facts: StopFacts): RestartDecision {
  const { request, observed, own, newest } = facts;
  const problem = requestProblem(request, observed.runtimeName);
  if (problem !== undefined) return { type: "finish", result: problem };
  const named = own.find(({ id }) => id === parseContainerId(request.containerID ?? "")?.id);
  if (named === undefined || named.state === "Exited") return decideAfterStop(facts, named);
  if (named.id !== newest?.id) return { type: "finish", result: { id: request.id, phase: "Skipped", reason: "InstanceReplaced" } };
  // A runtime takes a stop of a container that it has not started yet for done, and starts it afterwards.
  if (named.state === "Created") return waiting(request, observed);
  return decideEnv(request, named, observed) ?? stopDecision(request, named, observed.previous);
}

/** The named instance is gone: the request is spent, whatever follows is only watched. */
function decideAfterStop({ request, newest, observed }: StopFacts, named: ContainerInstance | undefined): RestartDecision {
  const result: RestartResult = { id: request.id, phase: "Stopped" };
  if (newest === undefined || newest.id === named?.id || newest.state !== "Running") return { type: "wait", result };
  const needsEnv = request.envNames !== undefined && observed.envOf(newest.id) === undefined;
  return needsEnv ? { type: "inspect", instanceId: newest.id } : { type: "finish", result };
}

/** @returns undefined if the instance is to be stopped */
function decideEnv(request: RestartRequest, named: ContainerInstance, observed: RestartObservation): RestartDecision | undefined {
  if (request.stopWhile === undefined) return undefined;
  const env = observed.envOf(named.id);
  if (env === undefined) return { type: "inspect", instanceId: named.id };
  if (env.type === "unreadable") return { type: "finish", result: failed(request, "EnvUnreadable", ENV_UNREADABLE) };
  if (env.hash !== request.stopWhile.envHashNot) return undefined;
  // What a stop may still end must not be taken for the container that has it.
  if (named.state === "Unknown") return waiting(request, observed);
  return { type: "finish", result: { id: request.id, phase: "Skipped", reason: "EnvAlreadyApplied" } };
}

function waiting({ id }: RestartRequest, { previous }: RestartObservation): RestartDecision {
  return { type: "wait", result: previous ?? { id, phase: "Waiting" } };
}

function stopDecision(request: RestartRequest, named: ContainerInstance, previous: RestartResult | undefined): RestartDecision {
  const graceSeconds = request.gracePeriodSeconds ?? named.graceSeconds;
  // Stopping was written before preStop ran, so from then on it ran, or may have: it never runs twice. Also not when a list that is
  // behind shows an instance that was stopped a moment ago.
  const mayHaveRun = previous !== undefined && previous.phase !== "Waiting";
  const runsPreStop = request.runPreStop === true && graceSeconds > 0 && !mayHaveRun;
  return { type: "stop", instanceId: named.id, graceSeconds, preStop: runsPreStop ? named.preStop : undefined };
}

const ENV_UNREADABLE = "The runtime does not tell the container's environment";

/** What the CRD's schema refuses, asked again because a schema can be relaxed by hand. */
function requestProblem(request: RestartRequest, runtimeName: string): RestartResult | undefined {
  const named = request.containerID === undefined ? undefined : parseContainerId(request.containerID);
  if (named === undefined) return failed(request, "InvalidRequest", "A stop request names one containerID");
  if (named.runtimeName !== runtimeName) return failed(request, "RuntimeMismatch", `The runtime of this node is "${runtimeName}"`);
  if (request.stopWhile !== undefined && request.envNames === undefined)
    return failed(request, "InvalidRequest", "stopWhile needs envNames");
  return undefined;
}

function failed({ id }: RestartRequest, reason: string, message: string): RestartResult {
  return { id, phase: "Failed", reason, message };
}
