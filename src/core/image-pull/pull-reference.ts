import { fullReference, type ImageReference, parseImageReference } from "../values/image-reference.js";

/** The image as people write it: a digest follows `@`, a tag follows `:`. */
export function shownReference(image: string, tag: string): string {
  return isDigest(tag) ? `${image}@${tag}` : `${image}:${tag}`;
}

/** The fully qualified reference for the runtime, which may not complete short names; undefined when the two make no reference. */
export function pullReference(image: string, tag: string): string | undefined {
  const reference = parseImageReference(shownReference(image, tag));
  return reference === undefined ? undefined : fullReference(reference);
}

/** Names and digests under which the runtime holds an image. */
export interface HeldImage {
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
}

/** Whether what the runtime holds is what `reference` (fully qualified) asks for; short forms of the same name count. */
export function isHeldAs(image: HeldImage, reference: string): boolean {
  return [...image.repoTags, ...image.repoDigests].some((text) => sameReference(parseImageReference(text), reference));
}

/**
 * What NodeImage status calls an image ID.
 * @param imageRef what the runtime answered to a pull or a look-up: an image ID or a name with digest
 */
export function shownImageId(image: string, imageRef: string): string {
  return `${image}@${imageRef.slice(imageRef.lastIndexOf("@") + 1)}`;
}

// A tag cannot hold a colon, a digest always does.
function isDigest(tag: string): boolean {
  return tag.includes(":");
}

function sameReference(held: ImageReference | undefined, reference: string): boolean {
  return held !== undefined && fullReference(held) === reference;
}
