import type { CelEngine } from "../../cel/cel-engine.js";
import { celValue } from "../../cel/cel-value.js";
import { ApiError, detailsOf, quoted } from "../api-error.js";
import type { JsonObject } from "../json.js";
import type { Identity } from "./identity.js";
import { type RequestAttributes, resourceOf } from "./request-attributes.js";

interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
}

interface Expression {
  readonly name: string;
  readonly expression: string;
}

interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

interface Policy {
  readonly name: string;
  readonly binding: string;
  readonly rules: readonly ResourceRule[];
  readonly conditions: readonly Expression[];
  readonly variables: readonly Expression[];
  readonly validations: readonly Validation[];
}

/** A write as admission sees it. `object` is absent in a deletion, `oldObject` in a creation. */
export interface AdmittedWrite {
  readonly identity: Identity;
  readonly attributes: RequestAttributes;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
}

type PolicyObject = JsonObject & {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: JsonObject & {
    readonly policyName?: string;
    readonly validationActions?: readonly string[];
    readonly matchConstraints?: { readonly resourceRules?: readonly ResourceRule[] };
    readonly matchConditions?: readonly Expression[];
    readonly variables?: readonly Expression[];
    readonly validations?: readonly Validation[];
  };
};

const OPERATIONS: Readonly<Record<string, string>> = { create: "CREATE", update: "UPDATE", patch: "UPDATE", delete: "DELETE" };
const CODES: Readonly<Record<string, number>> = { Invalid: 422, Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

/** ValidatingAdmissionPolicies with a binding that denies. */
export class Policies {
  readonly #policies: readonly Policy[];
  readonly #cel: CelEngine;

  /** @param objects policies and bindings, among others */
  constructor(objects: readonly JsonObject[], cel: CelEngine) {
    this.#cel = cel;
    const all = objects as readonly PolicyObject[];
    const bindings = all.filter(({ kind, spec }) => {
      return kind === "ValidatingAdmissionPolicyBinding" && spec.validationActions?.includes("Deny") === true;
    });
    this.#policies = bindings.flatMap((binding) =>
      all
        .filter(({ kind, metadata }) => kind === "ValidatingAdmissionPolicy" && metadata.name === binding.spec.policyName)
        .map(({ metadata: { name }, spec }) => ({
          name,
          binding: binding.metadata.name,
          rules: spec.matchConstraints?.resourceRules ?? [],
          conditions: spec.matchConditions ?? [],
          variables: spec.variables ?? [],
          validations: spec.validations ?? [],
        })),
    );
  }

  /** @throws {ApiError} what a policy answers to a write that it denies */
  admit(write: AdmittedWrite): void {
    const matching = this.#policies.filter(({ rules }) => rules.some((rule) => matches(rule, write.attributes)));
    if (matching.length === 0) return;
    const activation = activationOf(write);
    for (const policy of matching) this.#enforce(policy, write, activation);
  }

  #enforce(policy: Policy, write: AdmittedWrite, activation: JsonObject): void {
    if (!policy.conditions.every(({ expression }) => this.#cel.evaluate(expression, activation) === true)) return;
    const whole = { ...activation, variables: this.#variables(policy.variables, activation) };
    for (const validation of policy.validations) {
      const outcome = this.#attempt(validation.expression, whole);
      if (outcome !== true) throw denial(policy, write, { ...validation, told: this.#messageOf(validation, whole, outcome) });
    }
  }

  /** Each is evaluated where it is used: what cannot be evaluated fails there, and only there. */
  #variables(expressions: readonly Expression[], activation: JsonObject): object {
    const variables = {};
    for (const { name, expression } of expressions) {
      const get = (): unknown => {
        const value = this.#attempt(expression, { ...activation, variables });
        if (!(value instanceof Error)) return value;
        throw new Error(`composited variable "${name}" fails to evaluate: ${value.message}`);
      };
      Object.defineProperty(variables, name, { enumerable: true, get });
    }
    return variables;
  }

  #messageOf({ expression, message, messageExpression }: Validation, activation: JsonObject, outcome: unknown): string {
    if (outcome instanceof Error) return `expression '${expression}' resulted in error: ${outcome.message}`;
    const told = messageExpression === undefined ? undefined : this.#attempt(messageExpression, activation);
    return typeof told === "string" ? told : (message ?? `failed expression: ${expression}`);
  }

  #attempt(expression: string, activation: JsonObject): unknown {
    try {
      return this.#cel.evaluate(expression, activation);
    } catch (error) {
      // The library shows where, in further lines, and begins like a sentence.
      const [told = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
      return new Error(told.charAt(0).toLowerCase() + told.slice(1));
    }
  }
}

function matches({ apiGroups, apiVersions, operations, resources }: ResourceRule, attributes: RequestAttributes): boolean {
  const { group, version, verb } = attributes;
  const operation = OPERATIONS[verb];
  const isAsked = operation !== undefined && holds(operations, operation) && holds(resources, resourceOf(attributes));
  return isAsked && holds(apiGroups, group) && holds(apiVersions, version);
}

function holds(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes("*");
}

function activationOf({ identity, attributes, object, oldObject }: AdmittedWrite): JsonObject {
  const { group, version, plural, subresource = "", namespace = "", name = "", verb } = attributes;
  const { username, groups, extra } = identity;
  const request = {
    userInfo: { username, groups, ...(Object.keys(extra).length === 0 ? {} : { extra }) },
    operation: OPERATIONS[verb],
    name,
    namespace,
    resource: { group, version, resource: plural },
    subResource: subresource,
  };
  return { request: celValue(request), object: celValue(object ?? null), oldObject: celValue(oldObject ?? null) };
}

interface BrokenValidation extends Validation {
  readonly told: string;
}

function denial(policy: Policy, { attributes }: AdmittedWrite, { told, reason = "Invalid" }: BrokenValidation): ApiError {
  const { plural, group, name = "" } = attributes;
  const named = { plural, group, name };
  const what = name === "" ? quoted(named).replace(/ ""$/, "") : quoted(named);
  const why = `ValidatingAdmissionPolicy '${policy.name}' with binding '${policy.binding}' denied request: ${told}`;
  const details = { ...detailsOf(named), causes: [{ message: why }] };
  return new ApiError({ code: CODES[reason] ?? 422, reason, message: `${what} is forbidden: ${why}`, details });
}
