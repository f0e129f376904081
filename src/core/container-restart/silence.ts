import type { NodePodRestart, PodRestart, PodRestartStatus, RestartRequest, RestartResult } from "../../api/node-pod-restart.js";
import { toldByUid } from "./node-entries.js";
import type { RestartReport } from "./reports.js";
import type { Sightings } from "./sightings.js";

/** After this long without an answer somebody is told. */
export const SILENCE_MS = 30_000;

/** What is to be told about requests that wait: for the agent, for the kubelet, or for a person. */
export function reportSilence(previous: NodePodRestart, wanted: readonly PodRestart[], sightings: Sightings): readonly RestartReport[] {
  const isBehind = agentIsBehind(previous, wanted, sightings);
  return wanted.flatMap(({ uid, requests }) => {
    if (isBehind !== undefined) return [{ reason: "AgentNotResponding", podUid: uid, ageMs: isBehind }];
    return requests.flatMap((request) => reportRequest({ previous, uid, request, sightings }) ?? []);
  });
}

/** How long the agent has not answered to the spec that pods wait on; undefined while that is no reason to worry. */
function agentIsBehind(previous: NodePodRestart, wanted: readonly PodRestart[], sightings: Sightings): number | undefined {
  const { generation = 0 } = previous.metadata;
  const observed = previous.status?.observedGeneration ?? 0;
  const hasWaiting = wanted.length > 0 && (previous.spec.podRestarts ?? []).length > 0;
  if (observed >= generation || !hasWaiting) return undefined;
  const what = `silent since generation ${observed}`;
  return sightings.isOlderThan(what, SILENCE_MS) ? sightings.ageMs(what) : undefined;
}

interface RequestSituation {
  readonly previous: NodePodRestart;
  readonly uid: string;
  readonly request: RestartRequest;
  readonly sightings: Sightings;
}

function reportRequest({ previous, uid, request, sightings }: RequestSituation): RestartReport | undefined {
  const status = toldByUid(previous).get(uid);
  const result = status?.results?.find(({ id }) => id === request.id);
  if (result === undefined) return undefined;
  const about = { podUid: uid, container: request.container };
  if (result.phase !== "Stopped") return reportResult(result, about);
  const what = `stopped ${uid}/${request.id}`;
  if (hasSuccessor(status, request) || !sightings.isOlderThan(what, SILENCE_MS)) return undefined;
  return { reason: "WaitingForKubelet", ...about, ageMs: sightings.ageMs(what) };
}

function hasSuccessor(status: PodRestartStatus | undefined, request: RestartRequest): boolean {
  const newest = status?.containers?.find(({ name }) => name === request.container);
  return newest?.state === "Running" && newest.containerID !== request.containerID;
}

function reportResult(result: RestartResult, about: Pick<RestartReport, "podUid" | "container">): RestartReport | undefined {
  const detail = result.message === undefined ? {} : { detail: result.message };
  if (result.reason === "StopFailed") return { reason: "StopFailed", ...about, ...detail };
  if (result.phase !== "Failed") return undefined;
  return { reason: result.reason === "EnvUnreadable" ? "EnvUnreadable" : "RequestRefused", ...about, ...detail };
}
