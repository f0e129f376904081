import { isObject, type JsonObject, listOf, valueAt } from "./json.js";

interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "date";
  /** 1: only wide. */
  readonly priority: 0 | 1;
  readonly of: (object: JsonObject) => unknown;
}

const META = "meta.k8s.io/v1";

/** Whether a client asks for rows and columns, as kubectl get does. */
export function wantsTable(accept: string): boolean {
  return accept.split(",").some((type) => /;\s*as=Table/.test(type) && /v=v1(;|$)/.test(type));
}

/** An object, or a list of objects, as rows and columns. Times are told as ages. */
export function toTable(plural: string, answer: JsonObject, nowMs: number): JsonObject {
  const items = Array.isArray(answer["items"]) ? (answer["items"] as readonly JsonObject[]) : [answer];
  const columns = [NAME, ...(COLUMNS[plural] ?? []), AGE, ...(WIDE[plural] ?? [])];
  const columnDefinitions = columns.map(({ name, type, priority }) => ({
    name,
    type,
    priority,
    format: name === "Name" ? "name" : "",
    description: name,
  }));
  const rows = items.map((item) => ({
    cells: columns.map(({ of, type }) => cell(of(item), type, nowMs)),
    object: { kind: "PartialObjectMetadata", apiVersion: META, metadata: item["metadata"] },
  }));
  const metadata = Array.isArray(answer["items"]) ? answer["metadata"] : { resourceVersion: valueAt(answer, "metadata.resourceVersion") };
  return { kind: "Table", apiVersion: META, metadata, columnDefinitions, rows };
}

function cell(value: unknown, type: Column["type"], nowMs: number): unknown {
  if (type === "date") return typeof value === "string" ? age(nowMs - Date.parse(value)) : "<none>";
  if (type === "integer") return value ?? 0;
  return value === undefined || value === "" ? "<none>" : value;
}

/** As kubectl tells it, in the largest unit that leaves more than one of it. */
function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${String(seconds)}s`;
  return seconds < 7200 ? `${String(Math.floor(seconds / 60))}m` : `${String(Math.floor(seconds / 3600))}h`;
}

function column(name: string, path: string, type: Column["type"] = "string"): Column {
  return { name, type, priority: 0, of: (object) => valueAt(object, path) };
}

function wide(name: string, of: Column["of"]): Column {
  return { name, type: "string", priority: 1, of };
}

const NAME = column("Name", "metadata.name");
const AGE = column("Age", "metadata.creationTimestamp", "date");

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  pods: [
    { name: "Ready", type: "string", priority: 0, of: podReadiness },
    { name: "Status", type: "string", priority: 0, of: podState },
    { name: "Restarts", type: "integer", priority: 0, of: podRestarts },
  ],
  nodes: [{ name: "Status", type: "string", priority: 0, of: nodeState }],
  events: [column("Last Seen", "lastTimestamp", "date"), column("Type", "type"), column("Reason", "reason"), column("Message", "message")],
  clonesets: [
    column("Desired", "spec.replicas", "integer"),
    column("Updated", "status.updatedReplicas", "integer"),
    column("Updated_Ready", "status.updatedReadyReplicas", "integer"),
    column("Ready", "status.readyReplicas", "integer"),
    column("Total", "status.replicas", "integer"),
  ],
  imagepulljobs: [
    column("Total", "status.desired", "integer"),
    column("Active", "status.active", "integer"),
    column("Succeed", "status.succeeded", "integer"),
    column("Failed", "status.failed", "integer"),
    column("Message", "status.message"),
  ],
  nodeimages: [
    column("Desired", "status.desired", "integer"),
    column("Pulling", "status.pulling", "integer"),
    column("Succeed", "status.succeeded", "integer"),
    column("Failed", "status.failed", "integer"),
  ],
};

const WIDE: Readonly<Record<string, readonly Column[]>> = {
  pods: [wide("IP", (pod) => valueAt(pod, "status.podIP")), wide("Node", (pod) => valueAt(pod, "spec.nodeName"))],
};

function statusesOf(pod: JsonObject): readonly JsonObject[] {
  return listOf(valueAt(pod, "status.containerStatuses")).filter(isObject);
}

function podReadiness(pod: JsonObject): string {
  const ready = statusesOf(pod).filter((status) => status["ready"] === true);
  return `${String(ready.length)}/${String(listOf(valueAt(pod, "spec.containers")).length)}`;
}

function podState(pod: JsonObject): unknown {
  if (valueAt(pod, "metadata.deletionTimestamp") !== undefined) return "Terminating";
  const waiting = statusesOf(pod).map((status) => valueAt(status, "state.waiting.reason"));
  return waiting.find((reason) => reason !== undefined) ?? valueAt(pod, "status.phase");
}

function podRestarts(pod: JsonObject): number {
  return statusesOf(pod).reduce((sum, { restartCount }) => sum + Number(restartCount ?? 0), 0);
}

function nodeState(node: JsonObject): string {
  const ready = listOf(valueAt(node, "status.conditions")).find((condition) => valueAt(condition, "type") === "Ready");
  return valueAt(ready, "status") === "True" ? "Ready" : "NotReady";
}
