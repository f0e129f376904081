import type { KubeObject, ObjectReference, StringMap } from "./meta.js";

/** The images that one node is asked to hold, and how far it is: NodeImage of `apps.kruise.io/v1beta1`, named after the node. */
export interface NodeImage extends KubeObject {
  readonly spec?: NodeImageSpec;
  readonly status?: NodeImageStatus;
}

export interface NodeImageSpec {
  /** At most 256, by familiar repository name (`nginx`, `reg:5000/app`). */
  readonly images?: Readonly<Record<string, ImageSpec>>;
}

export interface ImageSpec {
  readonly pullSecrets?: readonly { readonly namespace?: string; readonly name?: string; readonly mode?: string }[];
  readonly sandboxConfig?: SandboxConfig;
  /** Sorted by tag, each tag once. */
  readonly tags: readonly ImageTagSpec[];
}

/** Labels and annotations that the runtime gets with a pull. */
export interface SandboxConfig {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
}

export interface ImageTagSpec {
  /** A tag, or a digest such as `sha256:…`. */
  readonly tag: string;
  readonly createdAt?: string;
  /** Raised for every new round of pulling; absent means 0. */
  readonly version?: number;
  /** `IfNotPresent` skips the pull when the node has the image; anything else pulls. */
  readonly imagePullPolicy?: string;
  readonly ownerReferences?: readonly ObjectReference[];
  readonly pullPolicy?: TagPullPolicy;
}

export interface TagPullPolicy {
  /** Of one attempt, default 600. */
  readonly timeoutSeconds?: number;
  /** Attempts after the first, default 3; so does a negative value. */
  readonly backoffLimit?: number;
  readonly ttlSecondsAfterFinished?: number;
  /** Of all attempts together, from the start of the first. */
  readonly activeDeadlineSeconds?: number;
}

export interface NodeImageStatus {
  readonly desired: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly pulling?: number;
  readonly waiting?: number;
  readonly imageStatuses?: Readonly<Record<string, ImageStatus>>;
}

export interface ImageStatus {
  readonly tags: readonly ImageTagStatus[];
}

export type ImagePullPhase = "Waiting" | "Pulling" | "Succeeded" | "Failed";

export interface ImageTagStatus {
  readonly tag: string;
  /** One of `ImagePullPhase`; other writers may put anything here. */
  readonly phase: string;
  readonly progress?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  /** The version of the spec's tag that this is about; absent means 0. */
  readonly version?: number;
  /** `<name>@<image id>`. */
  readonly imageID?: string;
  readonly message?: string;
}
