import type { ContainerFacts } from "../../api/node-pod-restart.js";
import type { Container, ContainerStatus, Pod } from "../../api/pod.js";
import { expectedEnvHash } from "../values/env-from-metadata.js";
import { own } from "../values/json-object.js";
import type { ConcernedContainer } from "./concerned.js";
import { type Evidence, findEvidence } from "./evidence.js";
import { imageShortfall } from "./image-verdict.js";
import { statusOf } from "./pod-facts.js";
import type { UpdateState } from "./state.js";
import type { WaitingFor } from "./types.js";

/** A pod, how far its update has come, and what its node's agent says about it. */
export interface UpdateView {
  readonly pod: Pod;
  readonly state: UpdateState;
  /** Undefined: no report. */
  readonly facts: readonly ContainerFacts[] | undefined;
}

/** Whether a changed container is a new one. `early`: only the agent says so, pod status does not show it yet. */
export type Verdict = { readonly type: "new"; readonly early: boolean } | ({ readonly type: "old" } & Shortfall);

/** What a container still lacks; the message is the end of a sentence about it. */
export interface Shortfall {
  readonly waitingFor: WaitingFor;
  readonly message: string;
}

// The kubelet's waiting reasons while it has no image to start the container from, and what to call them: between tries of one and the
// same pull it alternates, which is no news.
const IMAGE_PULL_REASONS: ReadonlyMap<string, string> = new Map([
  ["ErrImagePull", "ImagePullBackOff"],
  ["ImagePullBackOff", "ImagePullBackOff"],
  ["InvalidImageName", "InvalidImageName"],
  ["ErrImageNeverPull", "ErrImageNeverPull"],
  ["ImageInspectError", "ImageInspectError"],
  ["RegistryUnavailable", "RegistryUnavailable"],
  ["SignatureValidationFailed", "SignatureValidationFailed"],
]);

/** Judges one changed container by the agent's facts or, for an image without facts, by pod status. Source: spec/in-place-update.md 1.11. */
export function judgeContainer(view: UpdateView, concerned: ConcernedContainer): Verdict {
  if ((!concerned.env && !concerned.image) || isUnscheduled(view.pod)) return { type: "new", early: false };
  const { name } = concerned.container;
  const status = statusOf(view.pod, name);
  const evidence = findEvidence(view.pod, name, view.facts);
  const shortfall = status?.containerID === undefined ? NOT_STARTED : instanceShortfall(view, concerned, { status, evidence });
  if (shortfall !== undefined) return { type: "old", ...(pullShortfall(status, concerned.container) ?? shortfall) };
  return { type: "new", early: evidence?.instance === "newer" };
}

function instanceShortfall(view: UpdateView, concerned: ConcernedContainer, instance: Instance): Shortfall | undefined {
  const shortfall = findShortfall(view, concerned, instance);
  return shortfall !== undefined && isEnded(instance) ? NOT_RUNNING : shortfall;
}

// No kubelet has seen it: the first one to do so sees this version, or a newer one, before it starts a container.
function isUnscheduled({ spec }: Pod): boolean {
  return (spec.nodeName ?? "") === "";
}

const NOT_STARTED: Shortfall = { waitingFor: "kubelet", message: "has not been started yet" };
const NOT_RUNNING: Shortfall = { waitingFor: "kubelet", message: "is not running yet" };
const UNPROVEN: Shortfall = { waitingFor: "agent", message: "has no report by the node's agent that it still runs" };

interface Instance {
  readonly status: ContainerStatus;
  readonly evidence: Evidence | undefined;
}

function findShortfall(view: UpdateView, concerned: ConcernedContainer, instance: Instance): Shortfall | undefined {
  const { container, image, env } = concerned;
  const { evidence } = instance;
  const shortfall = image ? shortfallOfImage(view, container, instance) : undefined;
  if (shortfall !== undefined) return shortfall;
  const envIsOld = env ? envShortfall(evidence, expectedEnvHash(container, view.pod.metadata)) : undefined;
  if (envIsOld !== undefined) return envIsOld;
  // One that has ended says nothing about the env of the next one, which the kubelet may start from an older version of the pod.
  const mustRun = env || evidence?.instance === "newer";
  return mustRun ? runShortfall(evidence) : undefined;
}

function runShortfall(evidence: Evidence | undefined): Shortfall | undefined {
  if (evidence?.isRunning === true) return undefined;
  return evidence?.isRunning === false ? NOT_RUNNING : UNPROVEN;
}

function shortfallOfImage({ pod, state }: UpdateView, container: Container, { status, evidence }: Instance): Shortfall | undefined {
  const recordedID = own(state.lastContainerStatuses, container.name)?.imageID ?? "";
  return imageShortfall({ pod, container, status, evidence, recordedID });
}

// It crashed or was stopped: whatever its next instance lacks, nothing can be said or done before the kubelet starts that.
function isEnded({ status, evidence }: Instance): boolean {
  if (evidence?.instance === "newer") return evidence.isRunning === false;
  return status.state?.running === undefined || evidence?.isRunning === false;
}

// Without an image to start from, whatever else is missing follows from that.
function pullShortfall(status: ContainerStatus | undefined, { image = "" }: Container): Shortfall | undefined {
  const reason = IMAGE_PULL_REASONS.get(status?.state?.waiting?.reason ?? "");
  if (reason === undefined) return undefined;
  return { waitingFor: "image pull", message: `cannot start without its image "${image}": ${reason}` };
}

function envShortfall(evidence: Evidence | undefined, expected: number): Shortfall | undefined {
  if (evidence === undefined) return { waitingFor: "agent", message: "has no report on its newest instance by the node's agent" };
  if (evidence.envHash === undefined) return { waitingFor: "agent", message: "has no report on its environment by the node's agent" };
  return evidence.envHash === expected ? undefined : { waitingFor: "agent", message: "still runs with its old environment" };
}
