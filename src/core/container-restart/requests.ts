import type { NodePodRestart, PodRestart, RestartRequest } from "../../api/node-pod-restart.js";
import type { Pod } from "../../api/pod.js";
import type { PendingContainer } from "../in-place-update/types.js";
import { decideContainerRequest } from "./container-request.js";
import { newestKnown } from "./known-instance.js";
import { MAX_ENV_NAME_LENGTH, MAX_ENV_NAMES, MAX_PODS, MAX_REQUESTS_PER_POD } from "./limits.js";
import { askedByUid } from "./node-entries.js";
import type { RestartReport } from "./reports.js";
import { readUpdateRequestId } from "./request-id.js";
import { reportSilence } from "./silence.js";
import { Sightings } from "./sightings.js";
import { trustedReport } from "./trusted-report.js";

/** A pod in mid-update on the node whose object is being built. */
export interface PodWish {
  readonly pod: Pod;
  readonly revision: string;
  readonly pending: readonly PendingContainer[];
  /** No new stop is asked for before this, see kubelet-window.ts; same clock as `nowMs`. Absent: at once. */
  readonly stopNotBeforeMs?: number;
}

/** What the spec of one node object is built from. */
export interface NodeSituation {
  /** Pods of the node with pending containers, terminating ones left out. */
  readonly wishes: readonly PodWish[];
  /** The node's pods by UID, all of them. */
  readonly pods: ReadonlyMap<string, Pod>;
  /** The cache of pods cannot follow at the moment: nothing is asked for that was not asked before. */
  readonly arePodsOld?: boolean;
  /** The object as it is now. */
  readonly previous: NodePodRestart;
  readonly nowMs: number;
  /** What the previous round returned; empty after a crash, which only makes waits start over. */
  readonly sightings: ReadonlyMap<string, number>;
}

export interface NodeRequests {
  /** The spec to write now; undefined if the present one serves. */
  readonly podRestarts: readonly PodRestart[] | undefined;
  /** When to build again even if nothing changes. */
  readonly requeueAfterMs: number | undefined;
  /** What users must hear of, in this round; the same again in each round while it lasts. */
  readonly reports: readonly RestartReport[];
  readonly sightings: ReadonlyMap<string, number>;
}

const SWEEP_AFTER_MS = 60_000;
/** The cache of pods tries again after 0.8 s, then twice as long each time. */
const OLD_PODS_LOOK_AGAIN_MS = 500;

/**
 * The spec of one node's object, as a pure function of the node's pods and of the object itself.
 *
 * A request that has done its work is no reason to write: it goes with the next write that is needed, or in one sweep.
 * Source: design.md section 3
 */
export function buildPodRestarts(situation: NodeSituation): NodeRequests {
  const { previous, nowMs } = situation;
  const sightings = new Sightings(situation.sightings, nowMs);
  const reports: RestartReport[] = [];
  const held = askedByUid(previous);
  const due = situation.wishes.filter((wish) => isDue(wish, { held, nowMs, sightings }));
  const wished = limitPods(due, held, reports).map((wish) => podRestart({ wish, situation, held, sightings, reports }));
  const wanted = situation.arePodsOld === true ? onlyHeld(wished, { held, sightings }) : wished;
  reports.push(...reportSilence(previous, wanted, sightings));
  const needsWrite = isMissing(wanted, held) || mustWithdraw(wanted, situation) || isSweepDue(wanted, previous, sightings);
  return {
    podRestarts: needsWrite ? wanted : undefined,
    requeueAfterMs: sightings.lookAgainMs(),
    reports,
    sightings: sightings.next,
  };
}

/** True unless a stop would come while the kubelet may still hold an older version of the pod. */
function isDue(wish: PodWish, { held, nowMs, sightings }: Pick<PodSituation, "held" | "sightings"> & { readonly nowMs: number }): boolean {
  const waitMs = (wish.stopNotBeforeMs ?? nowMs) - nowMs;
  if (waitMs <= 0 || !wish.pending.some(({ reason }) => reason === "env")) return true;
  const isAsked = held.get(uidOf(wish))?.requests.some((request) => isOfUpdate(request, wish)) === true;
  if (!isAsked) sightings.lookAgainIn(waitMs);
  return isAsked;
}

function isOfUpdate({ id, container }: RestartRequest, { revision }: PodWish): boolean {
  return readUpdateRequestId(id, { revision, container }) !== undefined;
}

/** A pod that has changed since may want what its containers run with: a new stop would be for nothing. */
function onlyHeld(wished: readonly PodRestart[], { held, sightings }: Pick<PodSituation, "held" | "sightings">): readonly PodRestart[] {
  if (isMissing(wished, held)) sightings.lookAgainIn(OLD_PODS_LOOK_AGAIN_MS);
  return wished.flatMap((entry) => {
    const ids = new Set(held.get(entry.uid)?.requests.map(({ id }) => id));
    const requests = entry.requests.filter(({ id }) => ids.has(id));
    return requests.length === 0 ? [] : [{ ...entry, requests }];
  });
}

interface PodSituation {
  readonly wish: PodWish;
  readonly situation: NodeSituation;
  readonly held: ReadonlyMap<string, PodRestart>;
  readonly sightings: Sightings;
  readonly reports: RestartReport[];
}

function podRestart({ wish, situation, held, sightings, reports }: PodSituation): PodRestart {
  const { name, namespace = "", uid = "" } = wish.pod.metadata;
  const report = trustedReport(situation.previous, wish.pod);
  const heldRequests = held.get(uid)?.requests ?? [];
  const requests = limitContainers(wish, heldRequests, reports).map((pending) => {
    const { request, isExhausted } = decideContainerRequest({
      podUid: uid,
      revision: wish.revision,
      wish: pending,
      held: heldRequests,
      known: newestKnown(wish.pod, report, pending.container),
      generation: (situation.previous.metadata.generation ?? 0) + 1,
      sightings,
    });
    if (isExhausted) reports.push({ reason: "EnvNotApplied", podUid: uid, container: pending.container });
    return request;
  });
  return { namespace, name, uid, requests };
}

/** Pods that have a place keep it; the rest takes what is free, by UID so that every round gives the same answer. */
function limitPods(wishes: readonly PodWish[], held: ReadonlyMap<string, unknown>, reports: RestartReport[]): readonly PodWish[] {
  const sorted = [...wishes].sort((a, b) => compareText(uidOf(a), uidOf(b)));
  const ordered = [...sorted.filter((wish) => held.has(uidOf(wish))), ...sorted.filter((wish) => !held.has(uidOf(wish)))];
  for (const wish of ordered.slice(MAX_PODS)) reports.push({ reason: "TooManyRequests", podUid: uidOf(wish) });
  return ordered.slice(0, MAX_PODS);
}

/** Containers that must restart come before those of which only facts are wanted. */
function limitContainers(wish: PodWish, held: readonly RestartRequest[], reports: RestartReport[]): readonly PendingContainer[] {
  const [fitting, oversized] = partition(wish.pending, fitsSchema);
  const rank = (pending: PendingContainer): number =>
    (pending.reason === "facts" ? 2 : 0) + (held.some(({ container }) => container === pending.container) ? 0 : 1);
  const ordered = [...fitting].sort((a, b) => rank(a) - rank(b) || compareText(a.container, b.container));
  for (const { container } of [...ordered.slice(MAX_REQUESTS_PER_POD), ...oversized])
    reports.push({ reason: "TooManyRequests", podUid: uidOf(wish), container });
  return ordered.slice(0, MAX_REQUESTS_PER_POD);
}

function fitsSchema({ envNames }: PendingContainer): boolean {
  return envNames.length <= MAX_ENV_NAMES && envNames.every((name) => name.length <= MAX_ENV_NAME_LENGTH);
}

function isMissing(wanted: readonly PodRestart[], held: ReadonlyMap<string, PodRestart>): boolean {
  return wanted.some(({ uid, requests }) => {
    const ids = new Set(held.get(uid)?.requests.map(({ id }) => id));
    return requests.some(({ id }) => !ids.has(id));
  });
}

/** True if the spec still arms a stop that nobody wants any more: it must go before the agent carries it out. */
function mustWithdraw(wanted: readonly PodRestart[], { previous, pods }: NodeSituation): boolean {
  const wantedIds = new Set(wanted.flatMap(({ requests }) => requests.map(({ id }) => id)));
  return (previous.spec.podRestarts ?? []).some(({ uid, requests }) => {
    const pod = pods.get(uid);
    if (pod === undefined) return false; // gone, and its containers with it
    const report = trustedReport(previous, pod);
    return requests.some((request) => {
      if (request.observe === true || wantedIds.has(request.id)) return false;
      const phase = report?.results?.find(({ id }) => id === request.id)?.phase;
      if (phase === "Stopped" || phase === "Skipped" || phase === "Failed") return false;
      return newestKnown(pod, report, request.container)?.containerID === request.containerID;
    });
  });
}

function isSweepDue(wanted: readonly PodRestart[], previous: NodePodRestart, sightings: Sightings): boolean {
  const wantedCount = wanted.reduce((sum, { requests }) => sum + requests.length, 0);
  const heldCount = (previous.spec.podRestarts ?? []).reduce((sum, { requests }) => sum + requests.length, 0);
  const hasFinished = heldCount > wantedCount || (previous.spec.podRestarts ?? []).length > wanted.length;
  return hasFinished && sightings.isOlderThan("finished requests", SWEEP_AFTER_MS);
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function uidOf({ pod }: PodWish): string {
  return pod.metadata.uid ?? "";
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
