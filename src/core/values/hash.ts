import { compareGoStrings, goJson } from "./go-json.js";

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** One environment variable as the hash sees it. */
export interface HashedEnv {
  readonly name: string;
  readonly value: string;
}

/** The env hash of a container none of whose variables comes from metadata. */
export const NO_ENV_HASH = 86995377;

/** The 32-bit FNV-1a hash of the text's UTF-8 bytes, as an unsigned number. */
export function fnv1a32(text: string): number {
  let hash = OFFSET_BASIS;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}

/** The 32-bit FNV-1 hash (multiply first) of the text's UTF-8 bytes, as an unsigned number; revision names are made of it. */
export function fnv132(text: string): number {
  let hash = OFFSET_BASIS;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash, PRIME) ^ byte;
  return hash >>> 0;
}

/**
 * The hash that the kubelet and OpenKruise make of a JSON document: FNV-1a over Go's debug print of its bytes.
 * Source: spec/in-place-update.md 1.12.
 */
export function deepHash(json: string): number {
  return fnv1a32(`([]uint8)[${new TextEncoder().encode(json).join(" ")}]`);
}

/** The container hash that a kubelet since 1.31 writes to the annotation of the CRI container. */
export function plainHash(container: { readonly name: string; readonly image?: string }): number {
  return deepHash(goJson({ image: container.image ?? "", name: container.name }));
}

/**
 * The env-from-metadata hash of these variables, whatever their order; `NO_ENV_HASH` when there are none.
 * Source: spec/node-agent.md 2.3.
 */
export function envHash(entries: readonly HashedEnv[]): number {
  if (entries.length === 0) return NO_ENV_HASH;
  const sorted = [...entries].sort((a, b) => compareGoStrings(a.name, b.name));
  return deepHash(goJson(sorted.map(({ name, value }) => (value === "" ? { name } : { name, value }))));
}
