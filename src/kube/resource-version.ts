/**
 * Orders two resourceVersions of one kind: negative if `a` is older, zero if equal, positive if newer. An absent one is the oldest.
 *
 * They are decimal numbers too big for a double, so the longer one is the newer one. Source: Kubernetes 1.35, KEP-5504 (comparable
 * resourceVersions).
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number {
  const left = a ?? "";
  const right = b ?? "";
  if (left.length !== right.length) return left.length - right.length;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** The newer of two resourceVersions. */
export function newerResourceVersion(a: string, b: string): string {
  return compareResourceVersions(a, b) >= 0 ? a : b;
}
