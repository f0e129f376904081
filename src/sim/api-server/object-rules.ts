import { ApiError, badRequest } from "./api-error.js";
import { type FieldProblem, invalidObject, invalidValue, required } from "./field-problem.js";
import { isObject, jsonEquals, type JsonObject, omit, pick, type StoredMeta, type StoredObject } from "./json.js";
import { clientMetadata, finalizerProblems, nameProblems, tidyMetadata } from "./metadata-rules.js";
import { qosClassOf, withPodDefaults, withStatusDefaults } from "./pod-defaults.js";
import { podUpdateProblems } from "./pod-rules.js";
import { apiVersionOf, type ServedKind } from "./served-kinds.js";
import { checkIdentity, checkName, checkType } from "./identity-checks.js";

/** What the rules need beside the objects. */
export interface RuleFacts {
  readonly kind: ServedKind;
  readonly nowMs: number;
}

export interface CreateFacts extends RuleFacts {
  readonly namespace: string | undefined;
  readonly uid: string;
  /** Appended to `generateName`. */
  readonly suffix: (prefix: string) => string;
}

/** The state in which a new object is stored. @throws {ApiError} 400 for a wrong namespace or kind, 422 without a name */
export function newObject(body: unknown, facts: CreateFacts): StoredObject {
  const { kind, namespace, uid, suffix, nowMs } = facts;
  const { whole, meta } = checkedBody(body, facts);
  const metadata = {
    ...clientMetadata(meta),
    name: nameOf(meta, facts, suffix),
    ...(namespace === undefined ? {} : { namespace }),
    uid,
    creationTimestamp: toTime(nowMs),
    ...(kind.hasGeneration ? { generation: 1 } : {}),
    resourceVersion: "",
  } as StoredMeta;
  const content = kind.hasStatus ? { ...omit(whole, ["status"]), ...firstStatus(kind, whole) } : whole;
  const object = withDefaults(kind, { ...content, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata });
  refuse(kind, metadata.name, [...nameProblems(metadata.name, kind), ...(kind.schema?.problems(object) ?? [])]);
  return object;
}

/** Which way a write goes. */
export interface WriteTarget {
  readonly kind: ServedKind;
  readonly subresource: string | undefined;
  readonly verb: "replace" | "patch";
}

/**
 * The state after a write that wants `body`. @returns `current` itself if nothing changes
 * @throws {ApiError} 409 for an old resourceVersion or another uid, 422 for what cannot be changed
 */
export function changedObject(current: StoredObject, body: JsonObject, target: WriteTarget): StoredObject {
  const { kind, subresource } = target;
  const meta = isObject(body["metadata"]) ? body["metadata"] : {};
  checkName(current, meta);
  checkType(body, meta, target);
  checkIdentity(current, meta, target);
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const whole = withDefaults(kind, { ...body, ...type, metadata: tidyMetadata(meta) as unknown as StoredMeta });
  const next = subresource === "status" ? withStatusOf(current, whole, kind) : withSpecOf(current, whole, kind);
  if (jsonEquals(current, next)) return current;
  refuse(kind, current.metadata.name, [...updateProblems(current, next, kind), ...schemaProblems(current, next, target)]);
  return next;
}

function schemaProblems(
  current: StoredObject,
  next: StoredObject,
  { kind: { schema }, subresource }: WriteTarget,
): readonly FieldProblem[] {
  if (schema === undefined) return [];
  return subresource === "status" ? schema.statusProblems(next, current) : schema.problems(next, current);
}

/** What the real server refuses of a change, whoever asks for it. */
function updateProblems(current: StoredObject, next: StoredObject, { plural, group }: ServedKind): readonly FieldProblem[] {
  const late = finalizerProblems(current, next);
  if (plural === "pods" && group === "") return [...late, ...podUpdateProblems(current, next)];
  const isRewritten = plural === "controllerrevisions" && !jsonEquals(current["data"], next["data"]);
  return isRewritten ? [...late, invalidValue("data", next["data"], "field is immutable")] : late;
}

function refuse(kind: ServedKind, name: string, problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidObject(kind, name, problems);
}

/** What the real server fills in, and for custom resources also leaves out, before it looks at an object. */
function withDefaults<T extends JsonObject>(kind: ServedKind, object: T): T {
  if (kind.schema !== undefined) return kind.schema.complete(object) as T;
  if (kind.plural !== "pods") return EMPTY_DATA.some((name) => isEmptyObject(object[name])) ? withoutEmptyData(object) : object;
  const status = "status" in object ? { status: withStatusDefaults(object["status"]) } : {};
  return { ...object, ...("spec" in object ? { spec: withPodDefaults(object["spec"]) } : {}), ...status };
}

const EMPTY_DATA = ["data", "binaryData", "stringData"];

function withoutEmptyData<T extends JsonObject>(object: T): T {
  return omit(
    object,
    EMPTY_DATA.filter((name) => isEmptyObject(object[name])),
  ) as T;
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** RFC 3339 in whole seconds, as metav1.Time. */
export function toTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function checkedBody(body: unknown, { kind, namespace }: CreateFacts): { readonly whole: JsonObject; readonly meta: JsonObject } {
  if (!isObject(body) || !isObject(body["metadata"])) throw badRequest("the object provided has no metadata");
  const meta = body["metadata"];
  checkType(body, meta, { kind, verb: "create" });
  if ((meta["resourceVersion"] ?? "") !== "") {
    throw new ApiError({ code: 500, message: "resourceVersion should not be set on objects to be created" });
  }
  if ((meta["namespace"] ?? namespace) !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return { whole: body, meta };
}

function nameOf(meta: JsonObject, { kind }: CreateFacts, suffix: CreateFacts["suffix"]): string {
  const { name, generateName } = meta;
  if (typeof name === "string" && name !== "") return name;
  if (typeof generateName === "string" && generateName !== "") return `${generateName}${suffix(generateName)}`;
  throw invalidObject(kind, "", [required("metadata.name", "name or generateName is required")]);
}

/** A status write touches the status only, but for labels and annotations of pods. */
function withStatusOf(current: StoredObject, body: JsonObject, kind: ServedKind): StoredObject {
  const isPod = kind.plural === "pods";
  const meta = isObject(body["metadata"]) && isPod ? pick(body["metadata"], ["labels", "annotations"]) : {};
  const status = isPod ? { status: withQosOf(current, body["status"]) } : pick(body, ["status"]);
  return { ...omit(current, ["status"]), ...status, metadata: { ...current.metadata, ...meta } };
}

/** Whoever leaves the class of service out of a pod's status does not mean to change it. */
function withQosOf({ status }: StoredObject, next: unknown): JsonObject {
  return { ...(isObject(status) ? pick(status, ["qosClass"]) : {}), ...(isObject(next) ? next : {}) };
}

/** Any other write touches everything but the status and what of metadata no client can change. */
function withSpecOf(current: StoredObject, body: StoredObject, kind: ServedKind): StoredObject {
  const next = kind.hasStatus ? { ...omit(body, ["status"]), ...pick(current, ["status"]) } : body;
  const old = current.metadata as unknown as JsonObject;
  const generation = kind.hasGeneration ? { generation: generationAfter(current, next) } : {};
  const asked = body.metadata as unknown as JsonObject;
  const metadata = { ...omit(asked, FIXED_META), ...pick(old, FIXED_META), ...generation } as unknown as StoredMeta;
  return { ...next, metadata };
}

const FIXED_META = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];

function generationAfter(current: StoredObject, next: JsonObject): number {
  const generation = current.metadata.generation ?? 1;
  const notSpec = ["metadata", "status", "apiVersion", "kind"];
  return jsonEquals(omit(current, notSpec), omit(next, notSpec)) ? generation : generation + 1;
}

function firstStatus({ plural }: ServedKind, { spec }: JsonObject): JsonObject {
  return plural === "pods" ? { status: { phase: "Pending", qosClass: qosClassOf(spec) } } : {};
}
