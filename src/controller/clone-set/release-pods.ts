import { matchesSelector } from "../../core/values/label-selector.js";
import { activePods } from "./observe.js";
import type { Pass } from "./pass.js";
import { writePodMetadata } from "./pod-writes.js";

/** Gives up the pods whose labels somebody changed so that the selector no longer matches; they live on without owner. */
export async function releasePods(pass: Pass): Promise<void> {
  const { spec, metadata } = pass.cloneSet;
  const strangers = activePods(pass).filter((pod) => !matchesSelector(spec.selector, pod.metadata.labels));
  for (const pod of strangers) {
    const ownerReferences = pod.metadata.ownerReferences?.filter(({ uid }) => uid !== metadata.uid) ?? [];
    try {
      await writePodMetadata(pass, pod, { ownerReferences });
      pass.logger.info("Pod is released", { pod: pod.metadata.name });
    } catch (error) {
      pass.failWith(error, { type: "FailedScale", reason: "FailedRelease" });
    }
  }
}
