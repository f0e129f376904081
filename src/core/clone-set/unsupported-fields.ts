import type { CloneSetSpec, CloneSetUpdateStrategy, LifecycleHook } from "../../api/clone-set.js";

/** A field that the API accepts and that we do not carry out yet. */
export interface UnsupportedField {
  /** Its path from the object's root. */
  readonly field: string;
  /** What stands still because of it: starting pods on a new template, or creating and deleting pods too. */
  readonly stops: "updates" | "everything";
}

// Upstream's word for "no deadline".
const NO_DEADLINE_SECONDS = 2_147_483_647;

/**
 * The fields of this spec that ask for something we do not do yet. Forms that ask for nothing (zero, empty, default) are fine.
 *
 * Ignoring one of them would break a promise to the user, so the rollout stops and says which field stopped it.
 */
export function unsupportedFields(spec: CloneSetSpec): readonly UnsupportedField[] {
  const strategy = spec.updateStrategy ?? {};
  const found: UnsupportedField[] = [];
  const check = (asksForSomething: boolean, field: string, stops: UnsupportedField["stops"]): void => {
    if (asksForSomething) found.push({ field: `spec.${field}`, stops });
  };
  check(isFilled(spec.volumeClaimTemplates), "volumeClaimTemplates", "everything");
  check(isFilled(spec.scaleStrategy?.podsToDelete), "scaleStrategy.podsToDelete", "everything");
  check(isPresent(spec.scaleStrategy?.maxUnavailable), "scaleStrategy.maxUnavailable", "everything");
  check(spec.scaleStrategy?.disablePVCReuse === true, "scaleStrategy.disablePVCReuse", "everything");
  check(isHook(spec.lifecycle?.preDelete), "lifecycle.preDelete", "everything");
  check(isHook(spec.lifecycle?.preNormal), "lifecycle.preNormal", "everything");
  check(isHook(spec.lifecycle?.inPlaceUpdate), "lifecycle.inPlaceUpdate", "updates");
  const deadlineSeconds = spec.progressDeadlineSeconds ?? NO_DEADLINE_SECONDS;
  check(deadlineSeconds !== NO_DEADLINE_SECONDS, "progressDeadlineSeconds", "updates");
  for (const field of unsupportedStrategyFields(strategy)) check(true, `updateStrategy.${field}`, "updates");
  return found;
}

function unsupportedStrategyFields(strategy: CloneSetUpdateStrategy): readonly string[] {
  const inPlace = strategy.inPlaceUpdateStrategy ?? {};
  const candidates: readonly (readonly [boolean, string])[] = [
    [strategy.type === "OnDelete", 'type "OnDelete"'],
    [asksForPods(strategy.maxSurge), "maxSurge"],
    [isFilled(strategy.priorityStrategy?.orderPriority), "priorityStrategy.orderPriority"],
    [isFilled(strategy.priorityStrategy?.weightPriority), "priorityStrategy.weightPriority"],
    [isFilled(strategy.scatterStrategy), "scatterStrategy"],
    [asksForPods(inPlace.imagePreDownloadParallelism), "inPlaceUpdateStrategy.imagePreDownloadParallelism"],
    [isPositive(inPlace.imagePreDownloadTimeoutSeconds), "inPlaceUpdateStrategy.imagePreDownloadTimeoutSeconds"],
    [isPositive(inPlace.imagePreDownloadMinUpdatedReadyPods), "inPlaceUpdateStrategy.imagePreDownloadMinUpdatedReadyPods"],
  ];
  return candidates.filter(([isAsked]) => isAsked).map(([, field]) => field);
}

// JSON null stands for absent.
function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isFilled(value: unknown): boolean {
  return isPresent(value) && !(Array.isArray(value) && value.length === 0);
}

function isPositive(value: number | null | undefined): boolean {
  return (value ?? 0) !== 0;
}

function asksForPods(value: unknown): boolean {
  return isPresent(value) && value !== 0 && value !== "0%";
}

function isHook(hook: LifecycleHook | null | undefined): boolean {
  const labels = Object.keys(hook?.labelsHandler ?? {});
  return labels.length > 0 || (hook?.finalizersHandler ?? []).length > 0 || hook?.markPodNotReady === true;
}
