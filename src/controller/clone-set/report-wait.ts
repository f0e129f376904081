import type { Pod } from "../../api/pod.js";
import type { UpdateWait } from "../../core/in-place-update/types.js";
import { readUpdateState } from "../../core/in-place-update/state.js";
import { toRfc3339Seconds } from "../../core/values/timestamps.js";
import type { Pass } from "./pass.js";
import type { WaitRegister } from "./wait-register.js";

/** How long an update may wait for something before the user is told. */
const PATIENCE_MS = 30_000;

export interface WaitReport {
  readonly pod: Pod;
  readonly wait: UpdateWait;
  readonly waits: WaitRegister;
}

/**
 * Tells the user what an update waits for and since when, once it has waited for long: condition on the CloneSet, and one event there
 * and on the pod. Events about requested restarts are written where they are requested.
 */
export function reportWait(pass: Pass, { pod, wait, waits }: WaitReport): void {
  const waitedMs = pass.deps.clock.nowMs() - wait.sinceMs;
  const isLong = wait.waitingFor !== "grace" && waitedMs >= PATIENCE_MS;
  const wasReported = waits.note(pod, wait, isLong);
  if (!isLong) {
    if (wait.waitingFor !== "grace") pass.comeBackAfter(PATIENCE_MS - waitedMs);
    return;
  }
  const message = `pod ${pod.metadata.name}: ${wait.message} (waiting for ${wait.waitingFor} since ${toRfc3339Seconds(wait.sinceMs)})`;
  pass.fail("FailedUpdate", "InPlaceUpdateStuck", message);
  if (wasReported || isToldElsewhere(pod, wait)) return;
  pass.record("Warning", "InPlaceUpdateStuck", message);
  pass.warnOnPod(pod, "InPlaceUpdateStuck", message);
}

// Whoever requests a restart watches its agent and, after the stop, the kubelet. Nobody stops a container for its image.
function isToldElsewhere(pod: Pod, { waitingFor }: UpdateWait): boolean {
  if (waitingFor !== "kubelet") return waitingFor === "agent";
  const state = readUpdateState(pod);
  return state.type === "value" && state.value.updateEnvFromMetadata && !state.value.updateImages;
}
