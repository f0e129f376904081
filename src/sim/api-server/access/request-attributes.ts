import type { RequestUrl } from "../request-url.js";

/** What a request asks for, in the words of roles and policies. */
export interface RequestAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

const VERBS: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };

/** A list or watch of one name counts as one about that object. */
export function attributesOf(
  method: string,
  { group, version, plural, subresource, namespace, name, query }: RequestUrl,
): RequestAttributes {
  const [, selected] = /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get("fieldSelector") ?? "") ?? [];
  const isNamed = name !== undefined;
  const read = isNamed ? "get" : ["true", "1"].includes(query.get("watch") ?? "") ? "watch" : "list";
  const verb = method === "DELETE" && !isNamed ? "deletecollection" : (VERBS[method] ?? read);
  return { verb, group, version, plural, subresource, namespace, name: name ?? selected };
}

/** The resource with its subresource, such as `pods/status`. */
export function resourceOf({ plural, subresource }: Pick<RequestAttributes, "plural" | "subresource">): string {
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}
