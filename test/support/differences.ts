import { type Story, type ToldPod, transformTexts, withoutRepetitions } from "./story.js";

/** A way in which we differ from OpenKruise on purpose. Its id heads a row of docs/compatibility.md, which says why. */
export interface Difference {
  readonly id: string;
  /** What a recorded story would be like if OpenKruise did it our way. */
  readonly apply: (recorded: Story) => Story;
}

const FACTS = "apps.kruise.io/runtime-containers-meta";
const LIFECYCLE = "lifecycle.apps.kruise.io/state";

/** All differences that the recorded scenarios show. */
export const DIFFERENCES: readonly Difference[] = [
  {
    id: "owner-version",
    apply: (story) => transformTexts(story, (text) => (text === "apps.kruise.io/v1beta1" ? "apps.kruise.io/v1alpha1" : text)),
  },
  {
    id: "no-kruise-pod-ready-gate",
    apply: (story) => onPods(story, (pod) => ({ ...pod, readinessGates: pod.readinessGates.filter((gate) => gate !== "KruisePodReady") })),
  },
  {
    id: "no-conflict-in-status",
    apply: (story) => {
      const { conditions = [], ...status } = story.status as { readonly conditions?: readonly { readonly message: string }[] };
      const real = conditions.filter(({ message }) => !message.includes("the object has been modified"));
      return { ...story, status: real.length === 0 ? status : { ...status, conditions: real } };
    },
  },
  {
    id: "facts-with-completion-only",
    apply: (story) => onPods(story, (pod) => ({ ...pod, metadata: withoutEarlyFacts(pod.metadata) })),
  },
  {
    id: "one-write-at-completion",
    apply: (story) => onPods(story, (pod) => ({ ...pod, metadata: pod.metadata.filter(isNoHalfwayState) })),
  },
  {
    id: "metadata-only-stays-ready",
    apply: (story) => onPods(story, (pod) => (restartsNothing(pod) ? { ...pod, condition: pod.condition.slice(0, 1) } : pod)),
  },
];

function onPods(story: Story, change: (pod: ToldPod) => ToldPod): Story {
  return { ...story, pods: story.pods.map(change) };
}

// The annotation stays only from the moment on when an env update has written it anew.
function withoutEarlyFacts(states: ToldPod["metadata"]): ToldPod["metadata"] {
  const first = states.find(({ annotations }) => annotations[FACTS] !== undefined)?.annotations[FACTS];
  const isEnvUpdate = states.some(({ annotations }) =>
    annotations["apps.kruise.io/inplace-update-state"]?.includes("updateEnvFromMetadata"),
  );
  return withoutRepetitions(
    states.map(({ labels, annotations }) => {
      const { [FACTS]: facts, ...rest } = annotations;
      return { labels, annotations: facts === undefined || facts === first || !isEnvUpdate ? rest : annotations };
    }),
  );
}

// Complete by its facts, and not yet by its label.
function isNoHalfwayState({ labels, annotations }: ToldPod["metadata"][number], index: number, states: ToldPod["metadata"]): boolean {
  const next = states[index + 1];
  const isHalfway = labels[LIFECYCLE] === "Updating" && annotations[FACTS] !== undefined && next?.labels[LIFECYCLE] === "Normal";
  return !(isHalfway && next.annotations[FACTS] === annotations[FACTS]);
}

function restartsNothing(pod: ToldPod): boolean {
  const states = pod.metadata.map(({ annotations }) => annotations["apps.kruise.io/inplace-update-state"] ?? "");
  return states.some((state) => state.includes('"containers":[]')) && !states.some((state) => state.includes("updateImages"));
}
