const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * The hash by which a kubelet since 1.31 knows whether a container of a spec is still the one that it started; hexadecimal, as in its annotation.
 *
 * Only the name and the image count: an environment that changes makes no other container.
 * Source: spec/recordings (test/golden/container-hashes.json)
 */
export function containerHash({ name, image = "" }: { readonly name: string; readonly image?: string }): string {
  const bytes = Buffer.from(JSON.stringify({ image, name }));
  let hash = OFFSET_BASIS;
  for (const byte of Buffer.from(`([]uint8)[${bytes.join(" ")}]`)) hash = Math.imul(hash ^ byte, PRIME);
  return (hash >>> 0).toString(16);
}
