import type { Resource } from "../api/meta.js";
import type { Subresource } from "./client.js";

/** Where a request goes. Without a name: the collection; without a namespace: the cluster's, or all namespaces of a namespaced kind. */
export interface PathTarget {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: Subresource | undefined;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The apiVersion that objects of a resource carry. */
export function apiVersionOf({ group, version }: Resource): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The path and query of a request for a resource; undefined query values are left out. */
export function requestPath(resource: Resource, target: PathTarget, query: Query = {}): string {
  const base = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const namespace = resource.namespaced && target.namespace !== undefined ? ["namespaces", target.namespace] : [];
  const rest = [...namespace, resource.plural, target.name, target.subresource].filter((part) => part !== undefined);
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  const text = params.toString();
  return `${base}/${rest.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}
