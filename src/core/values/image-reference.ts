/** A reference to an image with everything that short forms leave out filled in, but for the tag. */
export interface ImageReference {
  /** Registry host with its port; `docker.io` when the text names none. */
  readonly domain: string;
  /** Repository within the registry; official images of Docker Hub start with `library/`. */
  readonly path: string;
  readonly tag?: string;
  /** With its algorithm: `sha256:…`. */
  readonly digest?: string;
}

const DEFAULT_DOMAIN = "docker.io";
const LEGACY_DOMAIN = "index.docker.io";
const OFFICIAL_PREFIX = "library/";
const DEFAULT_TAG = "latest";
const MAX_PATH_LENGTH = 255;

const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const DOMAIN = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const PATH_COMPONENT = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const IMAGE_ID = /^[a-f0-9]{64}$/;

/**
 * Reads an image reference in any form that a pod may hold: `nginx`, `host:5000/app:v1`, `app@sha256:…`.
 * @returns undefined when the text breaks the grammar of the distribution project; a bare image id breaks it too
 * Source: spec/node-agent.md 4.5; the grammar is github.com/distribution/reference@v0.6.0.
 */
export function parseImageReference(text: string): ImageReference | undefined {
  if (IMAGE_ID.test(text)) return undefined;
  const { domain, rest } = splitDomain(text);
  const [named, digest] = cut(rest, "@");
  const [path, tag] = cut(named, ":");
  if (!DOMAIN.test(domain) || !isPath(path)) return undefined;
  if (!isAbsentOr(TAG, tag) || !isAbsentOr(DIGEST, digest)) return undefined;
  return { domain, path, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
}

/** The repository as people write it: without `docker.io/` and, for official images, without `library/`. */
export function familiarName(reference: ImageReference): string {
  if (reference.domain !== DEFAULT_DOMAIN) return `${reference.domain}/${reference.path}`;
  const official = reference.path.startsWith(OFFICIAL_PREFIX) ? reference.path.slice(OFFICIAL_PREFIX.length) : "";
  return official === "" || official.includes("/") ? reference.path : official;
}

/**
 * The one complete form of a reference, for the runtime and for comparing: domain, path, then the digest or the tag (`latest` when
 * there is neither). A tag beside a digest is dropped, since the digest alone decides what is meant.
 */
export function fullReference(reference: ImageReference): string {
  const name = `${reference.domain}/${reference.path}`;
  return reference.digest === undefined ? `${name}:${reference.tag ?? DEFAULT_TAG}` : `${name}@${reference.digest}`;
}

/** The key of a NodeImage's image and the name of its tag, which is the digest when the reference has one. */
export function nameAndTag(reference: ImageReference): { readonly name: string; readonly tag: string } {
  return { name: familiarName(reference), tag: reference.digest ?? reference.tag ?? DEFAULT_TAG };
}

// The first part is a host only if nothing else explains how it is written.
function splitDomain(text: string): { readonly domain: string; readonly rest: string } {
  const slash = text.indexOf("/");
  if (slash < 0) return { domain: DEFAULT_DOMAIN, rest: OFFICIAL_PREFIX + text };
  const first = text.slice(0, slash);
  const isHost = first === "localhost" || /[.:]/.test(first) || first.toLowerCase() !== first;
  const domain = !isHost || first === LEGACY_DOMAIN ? DEFAULT_DOMAIN : first;
  const rest = isHost ? text.slice(slash + 1) : text;
  return { domain, rest: domain === DEFAULT_DOMAIN && !rest.includes("/") ? OFFICIAL_PREFIX + rest : rest };
}

function cut(text: string, separator: string): readonly [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

function isAbsentOr(pattern: RegExp, text: string | undefined): boolean {
  return text === undefined || pattern.test(text);
}

function isPath(path: string): boolean {
  return path.length <= MAX_PATH_LENGTH && path.split("/").every((component) => PATH_COMPONENT.test(component));
}
