import { CONTAINER_BARRIER_ENV } from "../../api/names.js";
import type { Container } from "../../api/pod.js";

const BARRIER_KEY = /^p_(-?\d+)$/;

/**
 * The container's launch priority, as the barrier that OpenKruise's webhook gave it says.
 * @returns undefined for a container without a (well-formed) barrier
 * Source: spec/in-place-update.md 1.9 step 3.
 */
export function launchPriority(container: Container | undefined): number | undefined {
  const barrier = container?.env?.find((entry) => entry.name === CONTAINER_BARRIER_ENV);
  const match = BARRIER_KEY.exec(barrier?.valueFrom?.configMapKeyRef?.key ?? "");
  return match === null ? undefined : Number(match[1]);
}
