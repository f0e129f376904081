import type { PodTemplate } from "../../api/pod.js";
import { diffJson } from "../values/json-diff.js";

const IN_PLACE_METADATA: ReadonlySet<string> = new Set(["labels", "annotations", "finalizers"]);

/**
 * The first change of a template that cannot be made in a running pod, in words that name the field; undefined when there is none.
 *
 * Allowed are the images of app containers, labels, annotations and finalizers. Null counts as absent.
 * Source: spec/in-place-update.md 1.6 step 4.
 */
export function impossibleChange(from: PodTemplate, to: PodTemplate): string | undefined {
  const spec = diffJson(withoutNulls(from.spec), withoutNulls(to.spec)).find(({ op, path }) => op !== "replace" || !isImagePath(path));
  if (spec !== undefined) return `${formatPath(["spec", ...spec.path])} changed`;
  const metadata = diffJson(otherMetadata(from), otherMetadata(to))[0];
  return metadata === undefined ? undefined : `${formatPath(["metadata", ...metadata.path])} changed`;
}

function isImagePath([list, index, field, ...rest]: readonly string[]): boolean {
  return list === "containers" && /^\d+$/.test(index ?? "") && field === "image" && rest.length === 0;
}

function otherMetadata({ metadata }: PodTemplate): unknown {
  return withoutNulls(Object.fromEntries(Object.entries(metadata ?? {}).filter(([field]) => !IN_PLACE_METADATA.has(field))));
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}

function formatPath(path: readonly string[]): string {
  return path.map((segment, index) => (/^\d+$/.test(segment) ? `[${segment}]` : `${index === 0 ? "" : "."}${segment}`)).join("");
}
