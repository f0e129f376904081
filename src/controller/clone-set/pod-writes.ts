import type { Pod } from "../../api/pod.js";
import { PODS } from "../../api/resources.js";
import { withResourceVersion } from "../../core/in-place-update/change.js";
import type { PodChange } from "../../core/in-place-update/types.js";
import type { ObjectName, PatchRequest } from "../../kube/client.js";
import type { Pass } from "./pass.js";

/**
 * Writes a change of one pod, the status first. WARNING: the other way round the pod would take traffic while its containers restart.
 *
 * @throws {OperationError} conflict if the pod is no longer the one that was decided upon; else as patching does
 */
export async function writePodChange(pass: Pass, pod: Pod, { statusPatch, patch }: PodChange): Promise<void> {
  const target = podName(pod);
  let resourceVersion = pod.metadata.resourceVersion;
  if (statusPatch !== undefined) {
    const answer = await patchPod(pass, { target, type: "strategic", body: statusPatch, subresource: "status" });
    resourceVersion = answer.metadata.resourceVersion;
  }
  if (patch === undefined) return;
  const body = resourceVersion === undefined ? patch : withResourceVersion(patch, resourceVersion);
  await patchPod(pass, { target, type: "strategic", body });
}

/** Changes metadata of the version of the pod that was looked at. @throws {OperationError} as patching does */
export async function writePodMetadata(pass: Pass, pod: Pod, metadata: object): Promise<void> {
  const body = { metadata: { resourceVersion: pod.metadata.resourceVersion, ...metadata } };
  await patchPod(pass, { target: podName(pod), type: "merge", body });
}

/** How the API knows the pod. */
export function podName({ metadata }: Pod): ObjectName {
  return { name: metadata.name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) };
}

async function patchPod({ deps, signal }: Pass, request: PatchRequest): Promise<Pod> {
  const answer = await deps.client.patch<Pod>(PODS, request, signal);
  deps.informers.pods.applyWrite(answer);
  return answer;
}
