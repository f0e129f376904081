/** A request's path and query, taken apart. */
export interface RequestUrl {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/** @returns undefined for a path that is no resource's */
export function parseRequestUrl(path: string): RequestUrl | undefined {
  const url = new URL(path, "http://model");
  const parts = url.pathname.split("/").slice(1).map(decodeURIComponent);
  const root = parts[0] === "api" ? ["", ...parts.slice(1)] : parts[0] === "apis" ? parts.slice(1) : [];
  const [group, version, ...rest] = root;
  if (group === undefined || version === undefined || rest[0] === undefined) return undefined;
  const isNamespaced = rest[0] === "namespaces" && rest[2] !== undefined;
  const [plural, name, subresource] = isNamespaced ? rest.slice(2) : rest;
  if (plural === undefined) return undefined;
  return { group, version, plural, namespace: isNamespaced ? rest[1] : undefined, name, subresource, query: url.searchParams };
}
