import type { Condition } from "../../api/meta.js";

export type FailureCondition = "FailedScale" | "FailedUpdate";

/** Why pods are not being scaled or updated; kept in a condition until it is over. */
export interface Failure {
  readonly type: FailureCondition;
  /** CamelCase, stable, documented in docs/events.md. */
  readonly reason: string;
  readonly message: string;
}

/**
 * The conditions after this pass: at most one failure of each type, none of those that are over, everything else untouched.
 *
 * The transition time moves only when the failure appears, so an unchanged failure gives an unchanged list.
 */
export function withFailures(conditions: readonly Condition[], failures: readonly Failure[], nowText: string): readonly Condition[] {
  const others = conditions.filter(({ type }) => type !== "FailedScale" && type !== "FailedUpdate");
  const ours = (["FailedScale", "FailedUpdate"] as const).flatMap((type) => {
    const failure = failures.find((candidate) => candidate.type === type);
    if (failure === undefined) return [];
    const before = conditions.find((candidate) => candidate.type === type && candidate.status === "True");
    return [failureCondition(failure, before, nowText)];
  });
  return [...others, ...ours];
}

function failureCondition(failure: Failure, before: Condition | undefined, nowText: string): Condition {
  const isSame = before?.reason === failure.reason && before.message === failure.message;
  if (before !== undefined && isSame) return before;
  return { ...failure, status: "True", lastUpdateTime: nowText, lastTransitionTime: before?.lastTransitionTime ?? nowText };
}
