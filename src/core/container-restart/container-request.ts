import type { ContainerFacts, RestartRequest } from "../../api/node-pod-restart.js";
import type { PendingContainer } from "../in-place-update/types.js";
import { equalJson } from "../values/json-diff.js";
import { parseContainerId } from "./container-id.js";
import type { KnownInstance } from "./known-instance.js";
import { isAboutInstance, readUpdateRequestId, updateRequestId } from "./request-id.js";
import type { Sightings } from "./sightings.js";

/** What the next request of one container is decided on. */
export interface ContainerSituation {
  readonly podUid: string;
  readonly revision: string;
  readonly wish: PendingContainer;
  /** Requests that the spec holds for this pod. */
  readonly held: readonly RestartRequest[];
  readonly known: KnownInstance | undefined;
  /** The generation that the node object will have once it is written. */
  readonly generation: number;
  readonly sightings: Sightings;
}

/** The one request that the container gets; `isExhausted` when the env is wrong and no attempt is left. */
export interface ContainerRequestDecision {
  readonly request: RestartRequest;
  readonly isExhausted: boolean;
}

export const MAX_ATTEMPTS = 3;
const FIRST_RETRY_MS = 2_000;
const REPORT_DUE_MS = 1_000;

/**
 * Says which request one container of an update needs now. Keeps the held one as long as it serves.
 *
 * attempt 0: observe ──▶ attempt 1: stop the instance with the wrong env ──2 s──▶ attempt 2 ──4 s──▶ attempt 3 ──▶ exhausted
 *
 * Each attempt names another instance, so their number bounds the restarts of one revision, whoever edits the pod meanwhile.
 */
export function decideContainerRequest(situation: ContainerSituation): ContainerRequestDecision {
  const held = heldRequest(situation);
  const { wish, known } = situation;
  const mayStop = wish.reason === "env" || wish.reason === "both";
  if (known === undefined) return settled(keepOr(held, observe(situation, held)));
  if (held?.request.containerID === known.containerID)
    return settled(keepOr(held, mayStop ? stop(situation, held.attempt) : observe(situation, held)));
  if (known.facts === undefined) return settled(requestForUnreported(situation, held));
  if (mayStop && hasWrongEnv(wish, known)) return requestForWrongEnv(situation, held);
  return settled(requestForFacts(situation, held, known.facts));
}

function settled(request: RestartRequest): ContainerRequestDecision {
  return { request, isExhausted: false };
}

interface Held {
  readonly request: RestartRequest;
  readonly instanceId: string;
  readonly attempt: number;
}

/** The latest request of this line in the spec. */
function heldRequest({ held, revision, wish }: ContainerSituation): Held | undefined {
  let latest: (Held & { readonly generation: number }) | undefined;
  for (const request of held) {
    const parts = readUpdateRequestId(request.id, { revision, container: wish.container });
    if (parts === undefined) continue;
    if (
      latest === undefined ||
      parts.attempt > latest.attempt ||
      (parts.attempt === latest.attempt && parts.generation > latest.generation)
    )
      latest = { request, ...parts };
  }
  return latest;
}

/** The held request as long as it asks the same; a changed one, for example with a hash of edited metadata, is a new request. */
function keepOr(held: Held | undefined, wanted: RestartRequest): RestartRequest {
  return held !== undefined && equalJson({ ...wanted, id: held.request.id }, held.request) ? held.request : wanted;
}

/** Nothing is wrong with what is known: stay informed. */
function requestForFacts(situation: ContainerSituation, held: Held | undefined, facts: ContainerFacts): RestartRequest {
  const wantsSpent = situation.wish.reason === "env" || facts.plainHash === situation.wish.expectedPlainHash;
  const isSpentStop = held !== undefined && held.request.observe !== true;
  return isSpentStop && wantsSpent ? held.request : keepOr(held, observe(situation, held));
}

/** Nobody has told the env of the newest instance yet. */
function requestForUnreported(situation: ContainerSituation, held: Held | undefined): RestartRequest {
  if (held === undefined) return situation.wish.reason === "env" ? stop(situation, 1) : observe(situation, undefined);
  // The agent stopped looking when it saw an earlier instance run. A new request makes it look again.
  const isUnseen = situation.sightings.isOlderThan(`unreported ${instanceKey(situation)}`, REPORT_DUE_MS);
  return isUnseen && !isAboutInstance(held.instanceId, bareId(situation)) ? observe(situation, held) : held.request;
}

function requestForWrongEnv(situation: ContainerSituation, held: Held | undefined): ContainerRequestDecision {
  const attempt = held?.attempt ?? 0;
  if (attempt === 0) return { request: stop(situation, 1), isExhausted: false };
  if (attempt >= MAX_ATTEMPTS) return { request: held?.request ?? observe(situation, held), isExhausted: true };
  const isDue = situation.sightings.isOlderThan(`wrong ${instanceKey(situation)}`, FIRST_RETRY_MS * 2 ** (attempt - 1));
  return { request: isDue || held === undefined ? stop(situation, attempt + 1) : held.request, isExhausted: false };
}

/** True only for an instance made from the wanted spec: one of an older spec is about to be replaced by the kubelet. */
function hasWrongEnv(wish: PendingContainer, { facts }: KnownInstance): boolean {
  if (facts?.envHash === undefined || wish.envNames.length === 0 || facts.state === "Exited") return false;
  const isWantedSpec = wish.reason === "env" || facts.plainHash === wish.expectedPlainHash;
  return isWantedSpec && facts.envHash !== wish.expectedEnvHash;
}

function stop(situation: ContainerSituation, attempt: number): RestartRequest {
  const { wish, known } = situation;
  return {
    id: idFor(situation, attempt),
    container: wish.container,
    ...(known === undefined ? {} : { containerID: known.containerID }),
    envNames: wish.envNames,
    stopWhile: { envHashNot: wish.expectedEnvHash },
    runPreStop: true,
  };
}

function observe(situation: ContainerSituation, held: Held | undefined): RestartRequest {
  const { wish } = situation;
  return {
    id: idFor(situation, held?.attempt ?? 0),
    container: wish.container,
    observe: true,
    ...(wish.reason === "facts" ? {} : { untilPlainHash: wish.expectedPlainHash }),
    ...(wish.envNames.length === 0 ? {} : { envNames: wish.envNames }),
  };
}

function idFor(situation: ContainerSituation, attempt: number): string {
  const { revision, wish, generation } = situation;
  return updateRequestId({ revision, container: wish.container, instanceId: bareId(situation), attempt, generation });
}

function instanceKey(situation: ContainerSituation): string {
  return `${situation.podUid}/${situation.wish.container}/${bareId(situation)}`;
}

function bareId({ known }: ContainerSituation): string {
  return known === undefined ? "" : (parseContainerId(known.containerID)?.id ?? "");
}
