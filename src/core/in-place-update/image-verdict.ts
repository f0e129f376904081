import type { Container, ContainerStatus, Pod } from "../../api/pod.js";
import { plainHash } from "../values/hash.js";
import { fullReference, parseImageReference } from "../values/image-reference.js";
import type { Evidence } from "./evidence.js";
import type { Shortfall } from "./verdict.js";

export interface ImageView {
  readonly pod: Pod;
  readonly container: Container;
  readonly status: ContainerStatus;
  readonly evidence: Evidence | undefined;
  /** Image ID from before the change; empty when the container had none yet. */
  readonly recordedID: string;
}

const OLD_IMAGE: Shortfall = { waitingFor: "kubelet", message: "still runs its old image" };
const NOT_POSTED: Shortfall = { waitingFor: "kubelet", message: "is not in pod status with its new image yet" };
const STATUS_BEHIND: Shortfall = { waitingFor: "kubelet", message: "has a status from before the change" };

/**
 * What a container lacks until it runs from the image of the spec; undefined when it does.
 *
 * The kubelet's container hash decides. A hash that differs is no proof of an old container on kubelets before 1.31, which hash the
 * whole container; there a new image ID and the right name must agree. Without any hash one of the two is enough, for the same
 * digest may have two names, and one name two digests.
 * Source: spec/in-place-update.md 1.11 steps 4 and 5 with BUG-4 mended.
 */
export function imageShortfall(view: ImageView): Shortfall | undefined {
  const { pod, container, evidence } = view;
  const isAsAsked = evidence?.plainHash === plainHash(container);
  if (evidence?.instance === "newer") return isAsAsked ? undefined : NOT_POSTED;
  // Also of an instance as asked: after a roll-back the kubelet may have replaced it already, by one of the image rolled back from.
  if (isStatusBehind(pod)) return STATUS_BEHIND;
  return isAsAsked || isRenewedByStatus(view) ? undefined : OLD_IMAGE;
}

function isRenewedByStatus({ container, status, evidence, recordedID }: ImageView): boolean {
  if (status.imageID === "") return false;
  const isRenewed = status.imageID !== recordedID;
  const isNamed = isSameImage(status, container.image ?? "");
  // A container that never had an image may be about to start from the old one, so its ID being new says nothing.
  const needsBoth = evidence?.plainHash !== undefined || recordedID === "";
  return needsBoth ? isRenewed && isNamed : isRenewed || isNamed;
}

// Kubelets since 1.33 say which version of the spec their status is about.
function isStatusBehind(pod: Pod): boolean {
  const { observedGeneration } = pod.status ?? {};
  return observedGeneration !== undefined && observedGeneration < (pod.metadata.generation ?? 0);
}

// The runtime reports any one of the names that an image has, in full or only as a digest.
function isSameImage(status: ContainerStatus, wanted: string): boolean {
  const actual = parseImageReference(status.image);
  const reference = parseImageReference(wanted);
  if (reference?.digest !== undefined && status.imageID.endsWith(`@${reference.digest}`)) return true;
  if (actual === undefined || reference === undefined) return status.image === wanted;
  return fullReference(actual) === fullReference(reference);
}
