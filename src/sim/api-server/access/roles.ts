import { ApiError, detailsOf } from "../api-error.js";
import type { JsonObject } from "../json.js";
import type { Identity } from "./identity.js";
import { type RequestAttributes, resourceOf } from "./request-attributes.js";

interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Rules that some subjects have, in one namespace or everywhere. */
interface Grant {
  readonly namespace: string | undefined;
  readonly subjects: readonly Subject[];
  readonly rules: readonly PolicyRule[];
}

type RbacObject = JsonObject & {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly PolicyRule[];
  readonly subjects?: readonly Subject[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
};

/** What roles and their bindings allow. */
export class Roles {
  readonly #grants: readonly Grant[];

  /** @param objects roles and bindings, among others */
  constructor(objects: readonly JsonObject[]) {
    const all = objects as readonly RbacObject[];
    const bindings = all.filter(({ kind }) => kind === "ClusterRoleBinding" || kind === "RoleBinding");
    this.#grants = bindings.map(({ metadata: { namespace }, subjects = [], roleRef }) => {
      const role = all.find(({ kind, metadata }) => {
        return kind === roleRef?.kind && metadata.name === roleRef.name && (kind === "ClusterRole" || metadata.namespace === namespace);
      });
      return { namespace, subjects, rules: role?.rules ?? [] };
    });
  }

  /** @throws {ApiError} 403 in the words of the real server */
  authorize(identity: Identity, attributes: RequestAttributes): void {
    const isAllowed =
      identity.groups.includes("system:masters") ||
      this.#grants.some(({ namespace, subjects, rules }) => {
        const isHere = namespace === undefined || namespace === attributes.namespace;
        return isHere && subjects.some((subject) => isSubject(subject, identity)) && rules.some((rule) => allows(rule, attributes));
      });
    if (!isAllowed) throw refusal(identity, attributes);
  }
}

function isSubject({ kind, name, namespace = "" }: Subject, { username, groups }: Identity): boolean {
  if (kind === "ServiceAccount") return username === `system:serviceaccount:${namespace}:${name}`;
  return kind === "Group" ? groups.includes(name) : username === name;
}

function allows({ apiGroups = [], resources = [], resourceNames = [], verbs }: PolicyRule, attributes: RequestAttributes): boolean {
  const isNamed = resourceNames.length === 0 || (attributes.name !== undefined && resourceNames.includes(attributes.name));
  return isNamed && holds(verbs, attributes.verb) && holds(apiGroups, attributes.group) && holds(resources, resourceOf(attributes));
}

function holds(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes("*");
}

function refusal({ username }: Identity, attributes: RequestAttributes): ApiError {
  const { verb, group, plural, namespace, name = "" } = attributes;
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const whole = group === "" ? plural : `${plural}.${group}`;
  const what = `User "${username}" cannot ${verb} resource "${resourceOf(attributes)}" in API group "${group}" ${where}`;
  const message = `${whole}${name === "" ? "" : ` "${name}"`} is forbidden: ${what}`;
  return new ApiError({ code: 403, reason: "Forbidden", message, details: detailsOf({ plural, group, name }) });
}
