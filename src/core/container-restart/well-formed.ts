import type { NodePodRestart, PodRestart, PodRestartStatus, RestartRequest } from "../../api/node-pod-restart.js";
import { isJsonObject, type JsonObject } from "../values/json-object.js";
import { type Shape, shapeProblems } from "../values/json-shape.js";
import { parseContainerId } from "./container-id.js";

interface Entry {
  readonly types: Shape;
  /** Members without which it means nothing. */
  readonly required: readonly string[];
}

const POD_RESTART: Entry = { types: { namespace: "text", name: "text", uid: "text" }, required: ["namespace", "name", "uid"] };
const REQUEST: Entry = {
  types: {
    id: "text",
    container: "text",
    containerID: "text",
    observe: "flag",
    untilPlainHash: "count",
    envNames: ["text"],
    stopWhile: { envHashNot: "count" },
    gracePeriodSeconds: "count",
    runPreStop: "flag",
  },
  required: ["id", "container"],
};
const STATUS: Entry = { types: { uid: "text" }, required: ["uid"] };
const RESULT: Entry = { types: { id: "text", phase: "text", reason: "text", message: "text" }, required: ["id", "phase"] };
const FACTS: Entry = {
  types: { name: "text", containerID: "text", restartCount: "count", state: "text", plainHash: "count", envHash: "count" },
  required: ["name", "containerID", "restartCount", "state"],
};

/**
 * The object without the entries that break its schema, so that one of them neither stops the others nor asks for more than it says.
 *
 * The API server lets none in; but a schema can be relaxed by hand, and objects outlive schemas. @throws never
 */
export function wellFormed(object: NodePodRestart): NodePodRestart {
  const { spec, status }: { readonly spec?: unknown; readonly status?: unknown } = object;
  const podRestarts = entries(spec, "podRestarts", POD_RESTART).map(readPodRestart);
  if (!isJsonObject(status)) return { ...object, spec: { podRestarts } };
  const podRestartStatuses = entries(status, "podRestartStatuses", STATUS).map(readStatus);
  return { ...object, spec: { podRestarts }, status: { ...status, podRestartStatuses } };
}

function readPodRestart(entry: JsonObject): PodRestart {
  const requests = entries(entry, "requests", REQUEST).filter(isWholeRequest);
  return { ...entry, requests } as unknown as PodRestart;
}

// A condition that says nothing must not leave a stop without one.
function isWholeRequest(request: JsonObject): boolean {
  const { stopWhile } = request as { readonly stopWhile?: Partial<RestartRequest["stopWhile"]> };
  return !Object.values(request).includes(null) && (stopWhile === undefined || typeof stopWhile.envHashNot === "number");
}

function readStatus(entry: JsonObject): PodRestartStatus {
  const results = entries(entry, "results", RESULT);
  const containers = entries(entry, "containers", FACTS).filter(isIdentified);
  return { ...entry, results, containers } as unknown as PodRestartStatus;
}

function isIdentified({ containerID }: JsonObject): boolean {
  return parseContainerId(String(containerID)) !== undefined;
}

function entries(holder: unknown, list: string, { types, required }: Entry): readonly JsonObject[] {
  const elements: unknown = isJsonObject(holder) ? holder[list] : undefined;
  if (!Array.isArray(elements)) return [];
  const isWhole = (element: JsonObject): boolean => required.every((name) => (element[name] ?? "") !== "");
  return elements.filter(
    (element: unknown): element is JsonObject =>
      isJsonObject(element) && isWhole(element) && shapeProblems(element, types, "").length === 0,
  );
}
