import type { LabelSelector, LabelSelectorRequirement, StringMap } from "../../api/meta.js";
import { compareGoStrings } from "./go-json.js";
import { type Shape, shapeProblems } from "./json-shape.js";

const SELECTOR_TYPES: Shape = { matchLabels: "map", matchExpressions: [{ key: "text", operator: "text", values: ["text"] }] };
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const MAX_NAME_LENGTH = 63;
const MAX_PREFIX_LENGTH = 253;

/**
 * Whether the labels satisfy every term of the selector: an empty selector selects everything, an absent one nothing, and so
 * does one that has a `selectorProblem`.
 */
export function matchesSelector(selector: LabelSelector | null | undefined, labels: StringMap | null | undefined): boolean {
  if (selector === undefined || selector === null || selectorProblem(selector) !== undefined) return false;
  return requirementsOf(selector).every((requirement) => matchesRequirement(requirement, labels ?? {}));
}

/** The selector as `kubectl` and the scale subresource take it; `<none>` when it has no terms, `<error>` when it has a problem. */
export function formatSelector(selector: LabelSelector | null | undefined): string {
  if (selector === undefined || selector === null) return "<none>";
  if (selectorProblem(selector) !== undefined) return "<error>";
  const terms = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector.matchExpressions ?? []).map((requirement) => ({ key: requirement.key, text: formatRequirement(requirement) })),
  ];
  terms.sort((a, b) => compareGoStrings(a.key, b.key));
  return terms.length === 0 ? "<none>" : terms.map(({ text }) => text).join(",");
}

/** What makes the selector unusable, in words for the user; undefined when it is well formed (empty included). */
export function selectorProblem(selector: LabelSelector): string | undefined {
  const [malformed] = shapeProblems(selector, SELECTOR_TYPES, "selector");
  if (malformed !== undefined) return `${malformed.field} ${malformed.message}`;
  for (const requirement of requirementsOf(selector)) {
    const problem = requirementProblem(requirement);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function requirementsOf(selector: LabelSelector): readonly LabelSelectorRequirement[] {
  const equalities = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, operator: "In", values: [value] }));
  return [...equalities, ...(selector.matchExpressions ?? [])];
}

function requirementProblem({ key, operator, values: given }: LabelSelectorRequirement): string | undefined {
  const values = given ?? []; // JSON null stands for absent
  if (!isLabelKey(key)) return `"${key}" is not a label key`;
  const invalid = values.find((value) => !isLabelValue(value));
  if (invalid !== undefined) return `"${invalid}" is not a label value (key "${key}")`;
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0 ? undefined : `operator ${operator} of key "${key}" needs values`;
    case "Exists":
    case "DoesNotExist":
      return values.length === 0 ? undefined : `operator ${operator} of key "${key}" takes no values`;
    default:
      return `"${operator}" is not an operator (key "${key}")`;
  }
}

function matchesRequirement({ key, operator, values: given }: LabelSelectorRequirement, labels: StringMap): boolean {
  const values = given ?? [];
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    default:
      return value === undefined;
  }
}

function formatRequirement({ key, operator, values }: LabelSelectorRequirement): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  return `${key} ${operator.toLowerCase()} (${[...(values ?? [])].sort(compareGoStrings).join(",")})`;
}

function isLabelKey(key: string | null | undefined): boolean {
  const parts = (key ?? "").split("/");
  const name = parts.pop() ?? "";
  const [prefix] = parts;
  if (parts.length > 1 || name.length > MAX_NAME_LENGTH || !NAME.test(name)) return false;
  return prefix === undefined || (prefix.length <= MAX_PREFIX_LENGTH && PREFIX.test(prefix));
}

function isLabelValue(value: string): boolean {
  return typeof value === "string" && value.length <= MAX_NAME_LENGTH && (value === "" || NAME.test(value));
}
