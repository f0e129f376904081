import type { IntOrString, KubeObject, LabelSelector } from "./meta.js";
import type { SandboxConfig } from "./node-image.js";

/** One image to be pulled on many nodes: ImagePullJob of `apps.kruise.io/v1beta1`. */
export interface ImagePullJob extends KubeObject {
  readonly spec: ImagePullJobSpec;
  readonly status?: ImagePullJobStatus;
}

export interface ImagePullJobSpec {
  readonly image: string;
  readonly pullSecrets?: readonly string[];
  /** Absent together with `podSelector`: all nodes. */
  readonly selector?: ImagePullJobNodeSelector;
  /** Nodes of the active pods of the job's namespace that it selects. */
  readonly podSelector?: LabelSelector;
  /** Nodes that pull side by side: a number or digits, default 1, 0 pauses. */
  readonly parallelism?: IntOrString;
  readonly pullPolicy?: JobPullPolicy;
  readonly completionPolicy?: CompletionPolicy;
  readonly sandboxConfig?: SandboxConfig;
  /** Default `IfNotPresent`. */
  readonly imagePullPolicy?: string;
}

/** Either names or labels. */
export interface ImagePullJobNodeSelector extends LabelSelector {
  readonly names?: readonly string[];
}

export interface JobPullPolicy {
  /** Default 600. */
  readonly timeoutSeconds?: number;
  /** Default 3. */
  readonly backoffLimit?: number;
}

export interface CompletionPolicy {
  /** `Always` (default): ends when every node has an outcome. `Never`: goes on, also on nodes that join later. */
  readonly type?: string;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
}

export interface ImagePullJobStatus {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly desired: number;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly message?: string;
  readonly failedNodes?: readonly string[];
}
