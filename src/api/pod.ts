import type { Condition, KubeObject, ObjectMeta } from "./meta.js";

/** The parts of a Pod that our rules read. */
export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly terminationGracePeriodSeconds?: number;
  readonly restartPolicy?: string;
  readonly activeDeadlineSeconds?: number;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly EnvVar[];
  /** Overrides the pod's. */
  readonly restartPolicy?: string;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string };
    readonly configMapKeyRef?: { readonly name?: string; readonly key: string; readonly optional?: boolean };
  };
}

export interface PodStatus {
  readonly phase?: string;
  /** The `metadata.generation` that the kubelet's status is about; kubelets before 1.33 leave it out. */
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly startTime?: string;
  readonly podIP?: string;
  readonly qosClass?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly started?: boolean;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: { readonly exitCode: number; readonly reason?: string; readonly finishedAt?: string };
}

/** A pod template as a workload holds it. */
export interface PodTemplate {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec: PodSpec;
}

/** A Node, as far as we read it. */
export interface Node extends KubeObject {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** A ControllerRevision. `data` is kept raw: its bytes are its identity. */
export interface ControllerRevision extends KubeObject {
  readonly revision: number;
  readonly data?: unknown;
}
