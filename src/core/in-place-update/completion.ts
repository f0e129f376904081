import type { Pod } from "../../api/pod.js";
import { concernedContainers } from "./concerned.js";
import { conditionOf, hasReadinessGate } from "./pod-facts.js";
import { judgeContainer, type Shortfall, type UpdateView } from "./verdict.js";

/** Where the containers of an update stand. `early`: at least one is proven by the agent only, pod status does not show it yet. */
export type Completion = { readonly type: "complete"; readonly early: boolean } | Incomplete;

/** The first container, in the order of the spec, that is not a new one yet. */
export interface Incomplete extends Shortfall {
  readonly type: "incomplete";
  readonly container: string;
}

/**
 * Decides whether every container that the update changed is a new one: started from the image of the spec and, for an env update,
 * with the env that the pod's metadata gives. New is enough; whether it is ready is the kubelet's business.
 *
 * An early answer counts only for a pod that is out of service (gate, Ready=False in this very version): then flipping the
 * condition cannot put an old container into service, because the kubelet's next look shows the new one (design.md 3).
 * Source: spec/in-place-update.md 1.11; evidence by the agent is ours.
 */
export function checkCompletion(view: UpdateView): Completion {
  let early = false;
  for (const concerned of concernedContainers(view.pod, view.state)) {
    const { name } = concerned.container;
    const verdict = judgeContainer(view, concerned);
    if (verdict.type === "old") return { ...verdict, type: "incomplete", container: name };
    if (verdict.early && !isOutOfService(view.pod)) {
      return { type: "incomplete", container: name, waitingFor: "kubelet", message: "is not in pod status yet" };
    }
    early ||= verdict.early;
  }
  return { type: "complete", early };
}

function isOutOfService(pod: Pod): boolean {
  return hasReadinessGate(pod) && conditionOf(pod, "Ready")?.status === "False";
}
