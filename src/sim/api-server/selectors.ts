import { badRequest } from "./api-error.js";
import { type StoredObject, valueAt } from "./json.js";

/** True for objects that a list or watch asks for. */
export type Matcher = (object: StoredObject) => boolean;

/** Fields beside name and namespace that a real API server can select by. */
const SELECTABLE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  pods: ["spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "status.phase", "status.podIP"],
  events: [
    ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map((name) => `involvedObject.${name}`),
    ...["reason", "reportingComponent", "source", "type"],
  ],
  namespaces: ["status.phase"],
  secrets: ["type"],
  nodes: ["spec.unschedulable"],
};

/** The matcher for a label selector in text form. @throws {ApiError} 400 if malformed */
export function labelMatcher(selector: string): Matcher {
  const requirements = splitTopLevel(selector).map(parseRequirement);
  return ({ metadata: { labels = {} } }) => requirements.every((matches) => matches(labels));
}

/** The matcher for a field selector on objects of a resource. @throws {ApiError} 400 for a field that cannot be selected by */
export function fieldMatcher(selector: string, plural: string): Matcher {
  const terms = selector.split(",").filter((term) => term !== "");
  const matchers = terms.map((term): Matcher => {
    const [, field = "", operator = "", value = ""] = /^([^=!]+)(==?|!=)(.*)$/.exec(term) ?? [];
    const isKnown = /^metadata\.name(space)?$/.test(field) || SELECTABLE_FIELDS[plural]?.includes(field) === true;
    if (!isKnown) throw badRequest(`field label not supported: ${field}`);
    return (object) => {
      const found = valueAt(object, field);
      return ((typeof found === "string" ? found : "") === value) === (operator !== "!=");
    };
  });
  return (object) => matchers.every((matches) => matches(object));
}

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

function parseRequirement(text: string): LabelTest {
  const set = /^(\S+) (in|notin) \(([^)]*)\)$/.exec(text);
  if (set !== null) {
    const [, key = "", operator, list = ""] = set;
    const values = new Set(list.split(",").map((value) => value.trim()));
    return (labels) => values.has(labels[key] ?? "\0") === (operator === "in");
  }
  const equality = /^([^=!\s]+)\s*(==?|!=)\s*(\S*)$/.exec(text);
  if (equality !== null) {
    const [, key = "", operator, value = ""] = equality;
    return (labels) => (labels[key] === value) === (operator !== "!=");
  }
  const existence = /^(!?)([^=!\s]+)$/.exec(text);
  if (existence === null) throw badRequest(`unable to parse requirement: ${misreading(text)}`);
  const [, not = "", key = ""] = existence;
  return (labels) => key in labels === (not === "");
}

function misreading(text: string): string {
  const [, found] = /^\S+\s+(?:in|notin)\s+([^\s(]+)/.exec(text) ?? [];
  return found === undefined ? text : `found '${found}' expected: '('`;
}

/** Splits at commas that are not between parentheses. */
function splitTopLevel(selector: string): readonly string[] {
  return selector
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== "");
}
