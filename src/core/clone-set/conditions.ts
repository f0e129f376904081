import type { Condition } from "../../api/meta.js";

export type FailureCondition = "FailedScale" | "FailedUpdate";

/** Why pods are not being scaled or updated; kept in a condition until it is over. */
export interface Failure {
  readonly type: FailureCondition;
  /** CamelCase, stable, documented in docs/events.md. */
  readonly reason: string;
  readonly message: string;
}

/** A thousand pods may fail alike; a status must stay small. */
const MAX_MESSAGES = 3;

/**
 * The conditions after this pass: one for each type of failure that there is, none for those that are over, everything else untouched.
 *
 * Several failures of a type share its condition; the first gives the reason.
 *
 * The transition time moves only when the failure appears, so an unchanged failure gives an unchanged list.
 */
export function withFailures(conditions: readonly Condition[], failures: readonly Failure[], nowText: string): readonly Condition[] {
  const others = conditions.filter(({ type }) => type !== "FailedScale" && type !== "FailedUpdate");
  const ours = (["FailedScale", "FailedUpdate"] as const).flatMap((type) => {
    const [first, ...more] = failures.filter((candidate) => candidate.type === type);
    if (first === undefined) return [];
    const messages = [...new Set([first, ...more].map(({ message }) => message))];
    const failure = { ...first, message: messages.slice(0, MAX_MESSAGES).join("; ") };
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
