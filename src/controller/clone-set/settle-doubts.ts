import type { Pod } from "../../api/pod.js";
import { PODS } from "../../api/resources.js";
import { failureKind, failureMessage } from "../../lib/failure.js";
import { forEachBounded } from "./for-each-bounded.js";
import type { Holds } from "./holds.js";
import { activePods } from "./observe.js";
import type { Pass } from "./pass.js";
import { podName } from "./pod-writes.js";

const PARALLEL_READS = 8;

/**
 * Asks the API server about pods whose update got no answer, once they may be tried again: the cache may still be behind, and a pod that it
 * takes for available may be out of service. What it cannot tell either stays in doubt.
 */
export async function settleDoubts(pass: Pass, holds: Holds): Promise<void> {
  await forEachBounded(activePods(pass), PARALLEL_READS, async (pod) => {
    const { uid = "" } = pod.metadata;
    const doubt = holds.inDoubt(uid);
    if (doubt === undefined || holds.current(uid, doubt.wish) !== undefined) return;
    if (await isRead(pass, pod, holds)) holds.settle(uid);
  });
}

async function isRead(pass: Pass, pod: Pod, holds: Holds): Promise<boolean> {
  const { name, uid = "" } = pod.metadata;
  const { client, informers } = pass.deps;
  try {
    informers.pods.applyWrite(await client.get<Pod>(PODS, podName(pod), pass.signal));
    return true;
  } catch (error) {
    if (failureKind(error) === "missing") {
      informers.pods.applyMissing(pod);
      return true;
    }
    const message = `Cannot tell whether the update of pod "${name}" has begun: ${failureMessage(error)}`;
    pass.failWith(error, { type: "FailedUpdate", reason: "FailedUpdatePod", message });
    holds.prolong(uid, message);
    return false;
  }
}
