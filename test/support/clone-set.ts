import type { CloneSet, CloneSetSpec } from "../../src/api/clone-set.js";
import type { Pod } from "../../src/api/pod.js";
import type { ObservedPod } from "../../src/core/clone-set/observed-pod.js";

/** A CloneSet named `web` with one container; `spec` overrides fields. */
export function makeCloneSet(spec: Partial<CloneSetSpec> = {}): CloneSet {
  return {
    apiVersion: "apps.kruise.io/v1alpha1",
    kind: "CloneSet",
    metadata: { name: "web", namespace: "shop", uid: "set-uid", generation: 1 },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "app", image: "app:v1" }] } },
      updateStrategy: { type: "InPlaceIfPossible" },
      ...spec,
    },
  };
}

/** What a test says about one pod; the rest is that of a healthy pod at the newest revision. */
export interface PodTraits {
  readonly name?: string;
  readonly revision?: string;
  readonly ready?: boolean;
  readonly readySince?: string;
  readonly phase?: string;
  readonly lifecycle?: string;
  readonly nodeName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly gate?: "True" | "False";
  readonly restarts?: number;
  readonly created?: string;
}

/** A running pod with the labels that a CloneSet gives. */
export function makeSetPod(traits: PodTraits = {}): Pod {
  const { name = "web-aaaaa", revision = "web-new", ready = true, phase = "Running", lifecycle = "Normal", nodeName = "node1" } = traits;
  const readySince = traits.readySince ?? "2026-01-02T03:00:00Z";
  return {
    metadata: {
      name,
      namespace: "shop",
      uid: `${name}-uid`,
      creationTimestamp: traits.created ?? "2026-01-02T02:00:00Z",
      labels: { app: "web", "controller-revision-hash": revision, "lifecycle.apps.kruise.io/state": lifecycle, ...traits.labels },
      annotations: { ...traits.annotations },
    },
    spec: { nodeName, containers: [{ name: "app", image: "app:v1" }] },
    status: {
      phase,
      conditions: [
        { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: readySince },
        { type: "InPlaceUpdateReady", status: traits.gate ?? "True" },
      ],
      containerStatuses: [{ name: "app", ready, restartCount: traits.restarts ?? 0, image: "app:v1", imageID: "app@sha256:1" }],
    },
  };
}

/** The facts of a pod as decisions take them, without a pod behind them that matters. */
export function observed(name: string, facts: Partial<Omit<ObservedPod, "pod">> = {}, traits: PodTraits = {}): ObservedPod {
  const isReady = facts.isReady ?? facts.isAvailable ?? true;
  return {
    pod: makeSetPod({ name, ready: isReady, ...traits }),
    isUpdated: true,
    isToDelete: false,
    isReady,
    isAvailable: isReady,
    ...facts,
  };
}
