import { fnv132 } from "../values/hash.js";

// No vowels and nothing that looks like another character: Kubernetes' alphabet for generated names.
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const MAX_PARENT_LENGTH = 223;

/**
 * The short hash of a revision: the label's value, and the end of its name.
 * @param text of `revisionData`
 * @param collisionCount raised when the name is taken by another template
 * Source: spec/in-place-update.md 1.12.
 */
export function revisionHash(text: string, collisionCount: number): string {
  const digits = String(fnv132(`${text}${collisionCount}`));
  return Array.from(digits, (digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length] ?? "").join("");
}

/** The name of a revision of the workload `parent`; a long parent is cut so that a label can hold what is left. */
export function revisionName(parent: string, hash: string): string {
  return `${parent.slice(0, MAX_PARENT_LENGTH)}-${hash}`;
}

/**
 * Whether a pod's revision label means the revision of that name: we write the full name, OpenKruise with some settings the short hash.
 * Source: spec/in-place-update.md 2.2.
 */
export function meansRevision(label: string | undefined, name: string): boolean {
  return label === name || (label !== undefined && label !== "" && label === shortHash(name));
}

/** What follows the last dash of a revision's name; a short hash is returned as it is. */
export function shortHash(nameOrHash: string): string {
  return nameOrHash.slice(nameOrHash.lastIndexOf("-") + 1);
}
