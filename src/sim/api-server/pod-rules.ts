import { type FieldProblem, forbidden, invalidValue, required } from "./field-problem.js";
import { isObject, jsonEquals, type JsonObject, listOf, omit, type StoredObject, valueAt } from "./json.js";

const CHANGEABLE = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");
const OTHER_CHANGE = `pod updates may not change fields other than ${CHANGEABLE}`;
const MAX_DEADLINE_SECONDS = 2 ** 31 - 1;

/**
 * What of a pod's new spec the real server would refuse.
 * Source: Kubernetes' rules for pod updates, without those for scheduling gates. The real server adds a diff to its last message.
 */
export function podUpdateProblems(current: StoredObject, next: StoredObject): readonly FieldProblem[] {
  const [before, after] = [specOf(current), specOf(next)];
  for (const list of ["containers", "initContainers"]) {
    const [was, is] = [listOf(before[list]), listOf(after[list])];
    if (was.length !== is.length) return [forbidden(`spec.${list}`, "pod updates may not add or remove containers")];
  }
  const deadline = deadlineProblems(before["activeDeadlineSeconds"], after["activeDeadlineSeconds"]);
  const others = jsonEquals(comparable(before, before), comparable(after, before)) ? [] : [forbidden("spec", OTHER_CHANGE)];
  return [...qosProblems(current, next), ...imageProblems(before, after), ...deadline, ...tolerationProblems(before, after), ...others];
}

function qosProblems(current: StoredObject, next: StoredObject): readonly FieldProblem[] {
  const [was, is] = [current, next].map((pod) => valueAt(pod, "status.qosClass"));
  return was === is || is === undefined ? [] : [invalidValue("status.qosClass", is, "field is immutable")];
}

function specOf({ spec }: StoredObject): JsonObject {
  return isObject(spec) ? spec : {};
}

/** The real server wants an image from the start; the model lets tests leave it out of a pod for good. */
function imageProblems(before: JsonObject, after: JsonObject): readonly FieldProblem[] {
  return ["containers", "initContainers"].flatMap((list) =>
    listOf(after[list]).flatMap((container, index) => {
      const image = valueAt(container, "image") ?? "";
      if (image === (valueAt(listOf(before[list])[index], "image") ?? "")) return [];
      const field = `spec.${list}[${String(index)}].image`;
      if (image === "") return [required(field)];
      const isPadded = typeof image === "string" && image.trim() !== image;
      return isPadded ? [invalidValue(field, image, "must not have leading or trailing whitespace")] : [];
    }),
  );
}

function deadlineProblems(before: unknown, after: unknown): readonly FieldProblem[] {
  const field = "spec.activeDeadlineSeconds";
  if (after === undefined) {
    return before === undefined ? [] : [invalidValue(field, null, "must not update from a positive integer to nil value")];
  }
  const seconds = Number(after);
  if (seconds < 0 || seconds > MAX_DEADLINE_SECONDS) {
    return [0, 1].map((least) =>
      invalidValue(field, after, `must be between ${String(least)} and ${String(MAX_DEADLINE_SECONDS)}, inclusive`),
    );
  }
  return before !== undefined && Number(before) < seconds
    ? [invalidValue(field, after, "must be less than or equal to previous value")]
    : [];
}

function tolerationProblems(before: JsonObject, after: JsonObject): readonly FieldProblem[] {
  const now = listOf(after["tolerations"]).filter(isObject).map(withoutSeconds);
  const isKept = listOf(before["tolerations"])
    .filter(isObject)
    .every((old) => now.some((one) => jsonEquals(one, withoutSeconds(old))));
  return isKept ? [] : [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

function withoutSeconds(toleration: JsonObject): JsonObject {
  return omit(toleration, ["tolerationSeconds"]);
}

/** The spec without what may change, seen from a pod that was like `before`. */
function comparable(spec: JsonObject, before: JsonObject): JsonObject {
  // The model has no binding subresource: whoever plays the scheduler writes the node's name itself, once.
  const binding = before["nodeName"] === undefined ? ["nodeName"] : [];
  const isMended = Number(before["terminationGracePeriodSeconds"]) < 0 && spec["terminationGracePeriodSeconds"] === 1;
  const grace = isMended ? { terminationGracePeriodSeconds: before["terminationGracePeriodSeconds"] } : {};
  const fixed = omit(spec, ["activeDeadlineSeconds", "tolerations", ...binding]);
  return { ...fixed, ...grace, containers: withoutImages(spec["containers"]), initContainers: withoutImages(spec["initContainers"]) };
}

function withoutImages(containers: unknown): unknown {
  return listOf(containers).map((container) => (isObject(container) ? omit(container, ["image"]) : container));
}
