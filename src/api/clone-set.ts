import type { Condition, IntOrString, KubeObject, LabelSelector, StringMap } from "./meta.js";
import type { PodTemplate } from "./pod.js";

/** A CloneSet of `apps.kruise.io/v1alpha1`: interchangeable pods that are updated in place where possible. */
export interface CloneSet extends KubeObject {
  readonly spec: CloneSetSpec;
  readonly status?: CloneSetStatus;
}

export interface CloneSetSpec {
  /** Default 1. */
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
  readonly volumeClaimTemplates?: readonly unknown[];
  readonly scaleStrategy?: CloneSetScaleStrategy;
  readonly updateStrategy?: CloneSetUpdateStrategy;
  /** Revisions kept that nothing uses any more, default 10. */
  readonly revisionHistoryLimit?: number;
  /** Default 0. */
  readonly minReadySeconds?: number;
  readonly lifecycle?: CloneSetLifecycle;
  /** 2147483647 means off, like absent. */
  readonly progressDeadlineSeconds?: number;
}

export interface CloneSetScaleStrategy {
  readonly podsToDelete?: readonly string[];
  readonly maxUnavailable?: IntOrString;
  readonly disablePVCReuse?: boolean;
}

export interface CloneSetUpdateStrategy {
  /** ReCreate (default), InPlaceIfPossible, InPlaceOnly; OnDelete is declared too. */
  readonly type?: string;
  /** Pods that stay at the old revision, default 0. */
  readonly partition?: IntOrString;
  /** Default "20%". */
  readonly maxUnavailable?: IntOrString;
  readonly maxSurge?: IntOrString;
  readonly paused?: boolean;
  readonly priorityStrategy?: {
    readonly orderPriority?: readonly { readonly orderedKey: string }[];
    readonly weightPriority?: readonly { readonly weight: number; readonly matchSelector: LabelSelector }[];
  };
  readonly scatterStrategy?: readonly { readonly key: string; readonly value: string }[];
  readonly inPlaceUpdateStrategy?: CloneSetInPlaceUpdateStrategy;
}

export interface CloneSetInPlaceUpdateStrategy {
  /** Time between NotReady and the change, so that traffic drains. Default 0. */
  readonly gracePeriodSeconds?: number;
  readonly imagePreDownloadParallelism?: IntOrString;
  readonly imagePreDownloadTimeoutSeconds?: number;
  readonly imagePreDownloadMinUpdatedReadyPods?: number;
}

export interface CloneSetLifecycle {
  readonly preDelete?: LifecycleHook;
  readonly inPlaceUpdate?: LifecycleHook;
  readonly preNormal?: LifecycleHook;
}

export interface LifecycleHook {
  readonly labelsHandler?: StringMap;
  readonly finalizersHandler?: readonly string[];
  readonly markPodNotReady?: boolean;
}

/** Counters are over owned active pods: neither finished nor terminating. */
export interface CloneSetStatus {
  readonly observedGeneration?: number;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly updatedReplicas: number;
  readonly updatedReadyReplicas: number;
  /** Absent when 0. */
  readonly updatedAvailableReplicas?: number;
  /** Absent when 0. */
  readonly expectedUpdatedReplicas?: number;
  readonly updateRevision?: string;
  readonly currentRevision?: string;
  readonly collisionCount?: number;
  readonly conditions?: readonly Condition[];
  /** The selector as text, for the scale subresource. */
  readonly labelSelector?: string;
}
