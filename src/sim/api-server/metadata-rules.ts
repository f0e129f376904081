import { type FieldProblem, forbidden, invalidValue } from "./field-problem.js";
import { isObject, type JsonObject, listOf, omit, type StoredObject } from "./json.js";
import type { ServedKind } from "./served-kinds.js";

/** What only the server writes when an object is new. */
const SERVER_WRITTEN = ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"];
const OMITTED_IF_EMPTY = ["labels", "annotations", "finalizers", "ownerReferences", "generateName"];
const MAX_NAME_LENGTH = 253;
const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;

/** Metadata as the real server keeps it: without empty lists and maps, and without who wrote what. */
export function tidyMetadata(meta: JsonObject): JsonObject {
  const empty = OMITTED_IF_EMPTY.filter((name) => name in meta && isEmpty(meta[name]));
  return omit(meta, ["managedFields", ...empty]);
}

/** Metadata of an object that is to be created, without what the client has no say in. */
export function clientMetadata(meta: JsonObject): JsonObject {
  return omit(tidyMetadata(meta), SERVER_WRITTEN);
}

/** What is wrong with the name of a new object. */
export function nameProblems(name: string, { plural }: ServedKind): readonly FieldProblem[] {
  const isLabel = plural === "namespaces";
  if (name.length > MAX_NAME_LENGTH) {
    return [
      {
        reason: "FieldValueInvalid",
        field: "metadata.name",
        message: `Invalid value: "${name}": must be no more than ${String(MAX_NAME_LENGTH)} bytes`,
      },
    ];
  }
  if (new RegExp(`^${isLabel ? LABEL : SUBDOMAIN}$`).test(name)) return [];
  const why = isLabel
    ? `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`
    : `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
  return [invalidValue("metadata.name", name, why)];
}

/** What holds an object that is being deleted can only become less. */
export function finalizerProblems(current: StoredObject, next: StoredObject): readonly FieldProblem[] {
  const { deletionTimestamp, finalizers = [] } = current.metadata;
  const added = listOf(next.metadata.finalizers).filter((name) => !listOf(finalizers).includes(name));
  if (deletionTimestamp === undefined || added.length === 0) return [];
  const told = added.map((name) => JSON.stringify(name)).sort();
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${told.join(", ")}}`;
  return [forbidden("metadata.finalizers", why)];
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
