import { invalid } from "./api-error.js";
import { isObject, jsonEquals, type JsonObject, listOf, omit, type StoredObject } from "./json.js";
import type { ServedKind } from "./served-kinds.js";

const FORBIDDEN =
  "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
  "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds`";

/** Refuses changes that the real server does not allow on a pod. @throws {ApiError} 422 */
export function checkPodUpdate(current: StoredObject, next: StoredObject, kind: ServedKind): void {
  const [before, after] = [comparableSpec(current), comparableSpec(next)];
  // The model has no binding subresource: whoever plays the scheduler writes the node's name itself, once.
  const isBinding = before["nodeName"] === undefined;
  const ignored = isBinding ? ["nodeName"] : [];
  if (!jsonEquals(omit(before, ignored), omit(after, ignored))) throw invalid({ ...kind, name: current.metadata.name }, "spec", FORBIDDEN);
}

/** The spec without what may change. */
function comparableSpec({ spec }: StoredObject): JsonObject {
  if (!isObject(spec)) return {};
  const fixed = omit(spec, ["activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds"]);
  return { ...fixed, containers: withoutImages(spec["containers"]), initContainers: withoutImages(spec["initContainers"]) };
}

function withoutImages(containers: unknown): unknown {
  return listOf(containers).map((container) => (isObject(container) ? omit(container, ["image"]) : container));
}
