import type { PodTemplate } from "../../api/pod.js";
import { goJson } from "../values/go-json.js";
import { isJsonObject, own } from "../values/json-object.js";
import { shapeProblems } from "../values/json-shape.js";
import { TEMPLATE_TYPES } from "./template-types.js";

/** What a ControllerRevision keeps of a template. */
export interface RevisionData {
  /** The bytes that the revision's name is made of. */
  readonly text: string;
  /** The same as an object, for the `data` field. */
  readonly data: unknown;
}

/**
 * The document that a revision holds for a template: a patch that replaces the workload's template.
 * @param template with its defaults (`defaultTemplate`)
 * Source: spec/in-place-update.md 2.4.
 */
export function revisionData(template: PodTemplate): RevisionData {
  const data = { spec: { template: { ...template, $patch: "replace" } } };
  return { text: goJson(data), data };
}

/** The template that a revision holds; undefined when its data is no such document. @throws never */
export function templateOfRevision(data: unknown): PodTemplate | undefined {
  const template = memberOf(memberOf(data, "spec"), "template");
  if (!isJsonObject(template) || !Array.isArray(memberOf(memberOf(template, "spec"), "containers"))) return undefined;
  if (shapeProblems(template, TEMPLATE_TYPES, "template").length > 0) return undefined;
  return Object.fromEntries(Object.entries(template).filter(([key]) => key !== "$patch")) as unknown as PodTemplate;
}

function memberOf(value: unknown, key: string): unknown {
  return isJsonObject(value) ? own(value, key) : undefined;
}
