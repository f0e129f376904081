import { RUNTIME_CONTAINERS_META } from "../../api/names.js";
import type { ContainerFacts } from "../../api/node-pod-restart.js";
import type { Pod } from "../../api/pod.js";
import { parseTimestampMs } from "../values/timestamps.js";
import { own } from "../values/json-object.js";
import { applyBatch } from "./apply-batch.js";
import { endingChange, isEmptyChange, podChange } from "./change.js";
import { checkCompletion } from "./completion.js";
import { readyConditions, unreadyConditions } from "./conditions.js";
import { writeFactsAnnotation } from "./facts-annotation.js";
import { decideGrace } from "./finish-grace.js";
import { isInGrace } from "./grace.js";
import { settledLabels } from "./lifecycle.js";
import { mergeMetadataPatches } from "./metadata.js";
import { isActive, statusOf } from "./pod-facts.js";
import { isUnfinished } from "./progress.js";
import { hasNextBatch, readUpdateState, type UpdateState } from "./state.js";
import type { MapPatch, RefreshDecision, UpdateWait, Waited } from "./types.js";
import { stateAnnotations } from "./update-annotations.js";
import type { UpdateView } from "./verdict.js";

export interface RefreshOptions {
  readonly pod: Pod;
  /** The agent's report on this pod (matched by uid and node); undefined: there is none. */
  readonly facts: readonly ContainerFacts[] | undefined;
  readonly nowMs: number;
  /** What the caller remembers of the pod's last wait; losing it only makes a wait start over. */
  readonly waited?: Waited | undefined;
}

/**
 * Decides the next step for one owned pod: call it on every reconcile of its workload, paused or not. Level-triggered: it depends on
 * the given version of the pod and on facts only, and any answer may be lost, repeated or late.
 *
 * States of a pod that is updated: [grace] -> batch in progress -> [next batch]* -> complete -> settled.
 * Source: spec/in-place-update.md 1.10 and 2.8 step 1.
 */
export function decideRefresh(options: RefreshOptions): RefreshDecision {
  const { pod, facts, nowMs, waited } = options;
  if (!isActive(pod)) return { type: "none" };
  if (isInGrace(pod)) return decideGrace(pod, { nowMs, waited });
  const state = readUpdateState(pod);
  if (!isUnfinished(pod, state)) return settle(pod, nowMs);
  if (state.type === "unreadable") {
    return { type: "broken", reason: "StateUnreadable", message: `Cannot read the state annotation of the update: ${state.problem}` };
  }
  return state.type === "absent" ? settle(pod, nowMs) : decideUpdate({ pod, facts, state: state.value }, nowMs);
}

function decideUpdate(view: UpdateView, nowMs: number): RefreshDecision {
  const { pod, state } = view;
  const completion = checkCompletion(view);
  const sinceMs = startedMs(state) ?? nowMs;
  if (completion.type === "incomplete") return waitFor(completion, sinceMs);
  if (hasNextBatch(state)) return decideNextBatch(view, { isEarly: completion.early, sinceMs, nowMs });
  const text = state.updateEnvFromMetadata ? writeFactsAnnotation(pod, view.facts) : undefined;
  const isNews = text !== undefined && text !== own(pod.metadata.annotations, RUNTIME_CONTAINERS_META);
  const annotations: MapPatch = isNews ? { [RUNTIME_CONTAINERS_META]: text } : {};
  const change = endingChange(pod, { conditions: readyConditions(pod, nowMs), metadata: settledLabels(pod, nowMs), annotations });
  return isEmptyChange(change) ? { type: "none" } : { type: "apply", step: "complete", change };
}

interface NextBatchOptions {
  readonly isEarly: boolean;
  readonly sinceMs: number;
  readonly nowMs: number;
}

function decideNextBatch({ pod, state }: UpdateView, { isEarly, sinceMs, nowMs }: NextBatchOptions): RefreshDecision {
  const { nextContainerImages: images, nextContainerRefMetadata: refMetadata } = state;
  const unready = state.requiredReady.find((name) => isEarly || statusOf(pod, name)?.ready !== true);
  if (unready !== undefined)
    return waitFor({ container: unready, waitingFor: "readiness", message: "must be ready before the next batch" }, sinceMs);
  if (Object.keys(images).length + Object.keys(refMetadata).length === 0) {
    return waitFor({ waitingFor: "unsupported", message: "changing container resources in place is not implemented yet" }, sinceMs);
  }
  const changes = { images, refMetadata, metadata: {}, envContainers: Object.keys(refMetadata).sort() };
  const applied = applyBatch({ pod, changes, state, carried: [], nowMs });
  const metadata = mergeMetadataPatches(applied.metadata, { annotations: stateAnnotations(pod, applied.state) });
  const change = podChange(pod, { conditions: unreadyConditions(pod, nowMs), metadata, images: applied.images });
  return { type: "apply", step: "next-batch", change };
}

function settle(pod: Pod, nowMs: number): RefreshDecision {
  const conditions = readyConditions(pod, nowMs);
  const change = endingChange(pod, { conditions, metadata: settledLabels(pod, nowMs) });
  if (isEmptyChange(change)) return { type: "none" };
  return { type: "apply", step: conditions.length > 0 ? "mark-ready" : "lifecycle", change };
}

function waitFor({ container, waitingFor, message }: Omit<UpdateWait, "sinceMs">, sinceMs: number): RefreshDecision {
  const wait =
    container === undefined ? { waitingFor, message } : { waitingFor, container, message: `container "${container}" ${message}` };
  return { type: "wait", wait: { ...wait, sinceMs } };
}

function startedMs(state: UpdateState): number | undefined {
  return parseTimestampMs(state.batches.at(-1)?.timestamp ?? state.updateTimestamp);
}
