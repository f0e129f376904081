import type { KubeObject } from "./meta.js";

/**
 * What the controller asks of the agent on one node, and what the agent reports: kind NodePodRestart of
 * `node.podmend.io/v1alpha1`, cluster-scoped, named after the node. Decided in docs/adr/0003-node-protocol.md.
 */
export interface NodePodRestart extends KubeObject {
  readonly spec: NodePodRestartSpec;
  readonly status?: NodePodRestartStatus;
}

export interface NodePodRestartSpec {
  /** At most 512, a map by `uid`. */
  readonly podRestarts?: readonly PodRestart[];
}

export interface PodRestart {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** At most 16, a map by `id`. */
  readonly requests: readonly RestartRequest[];
}

/** Stops exactly one container instance, or (`observe`) only asks for facts about a container. A request never changes: its successor has another id. */
export interface RestartRequest {
  /** Never recurs; made by `core/container-restart/request-id.ts`. */
  readonly id: string;
  readonly container: string;
  /** The one instance that may be stopped, such as `containerd://f603…`. Absent only on an observe request. */
  readonly containerID?: string;
  /** True: report facts, never stop. */
  readonly observe?: boolean;
  /**
   * Observe only: the report is awaited until an instance runs with this hash of the kubelet's. Without it the agent could not tell
   * whether the running instance is the old one or already the new one, and would look too short or too long.
   */
  readonly untilPlainHash?: number;
  /** Names of the container's env entries that come from metadata; the live hash is made over these. Never values. */
  readonly envNames?: readonly string[];
  /** Stop only while the live env hash differs from this; absent: stop in any case. */
  readonly stopWhile?: { readonly envHashNot: number };
  /** Default: the grace that the kubelet wrote on the container. */
  readonly gracePeriodSeconds?: number;
  readonly runPreStop?: boolean;
}

export interface NodePodRestartStatus {
  readonly observedGeneration?: number;
  readonly podRestartStatuses?: readonly PodRestartStatus[];
}

export interface PodRestartStatus {
  readonly uid: string;
  readonly results?: readonly RestartResult[];
  /** The newest instance of each container of the pod that the runtime knows, init containers included. */
  readonly containers?: readonly ContainerFacts[];
}

/**
 * Waiting: accepted, nothing done yet. Stopping: written before preStop runs, and while a stop takes long. Stopped: the named
 * instance does not run any more. Skipped: nothing to stop (EnvAlreadyApplied, InstanceReplaced). Failed: given up, see reason.
 * A stop that goes smoothly is reported once, as Stopped, together with the instance that followed. Observe requests have a result
 * only when they fail.
 */
export type RestartPhase = "Waiting" | "Stopping" | "Stopped" | "Skipped" | "Failed";

export interface RestartResult {
  readonly id: string;
  readonly phase: RestartPhase;
  readonly reason?: string;
  readonly message?: string;
}

/** What the runtime says about one container instance. */
export interface ContainerFacts {
  readonly name: string;
  readonly containerID: string;
  readonly restartCount: number;
  /** Unknown: the runtime cannot say, or it runs but a stop that was asked for may still end it. */
  readonly state: "Created" | "Running" | "Exited" | "Unknown";
  /** RFC 3339, whole seconds or finer, the node's clock; information only. */
  readonly startedAt?: string;
  /** The kubelet's hash of the container's spec, from its annotation. */
  readonly plainHash?: number;
  /** Hash over the live values of the request's `envNames`; absent when no request gave names or they could not be read. */
  readonly envHash?: number;
}
