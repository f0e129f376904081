import type { CloneSet } from "../../api/clone-set.js";
import {
  CLONE_SET_INSTANCE_ID,
  CONTROLLER_REVISION_HASH,
  IN_PLACE_UPDATE_READY,
  LIFECYCLE_STATE,
  LIFECYCLE_TIMESTAMP,
  POD_TEMPLATE_HASH,
} from "../../api/names.js";
import type { Pod, PodSpec, PodTemplate } from "../../api/pod.js";
import { shortHash } from "../revision/revision-name.js";
import { ownerReferenceTo } from "./owner.js";

/** What one new pod is made from. */
export interface NewPodRequest {
  readonly template: PodTemplate;
  /** Name of the ControllerRevision that holds the template. */
  readonly revision: string;
  /** Five characters, unique within the CloneSet. */
  readonly instanceId: string;
  readonly nowText: string;
}

/** A pod of the CloneSet as it is sent to the API server. Source: spec/in-place-update.md 2.7. */
export function newPod(cloneSet: CloneSet, request: NewPodRequest): Pod {
  const { template, revision, instanceId, nowText } = request;
  const { name, namespace } = cloneSet.metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${name}-${instanceId}`,
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...template.metadata?.labels,
        [CLONE_SET_INSTANCE_ID]: instanceId,
        [CONTROLLER_REVISION_HASH]: revision,
        [POD_TEMPLATE_HASH]: shortHash(revision),
        [LIFECYCLE_STATE]: "PreparingNormal",
      },
      annotations: { ...template.metadata?.annotations, [LIFECYCLE_TIMESTAMP]: nowText },
      ...(template.metadata?.finalizers === undefined ? {} : { finalizers: template.metadata.finalizers }),
      ownerReferences: [ownerReferenceTo(cloneSet)],
    },
    spec: withReadinessGate(template.spec),
  };
}

// Always, whatever the policy: a gate cannot be added later, and the policy may change.
function withReadinessGate(spec: PodSpec): PodSpec {
  const gates = spec.readinessGates ?? [];
  if (gates.some(({ conditionType }) => conditionType === IN_PLACE_UPDATE_READY)) return spec;
  return { ...spec, readinessGates: [...gates, { conditionType: IN_PLACE_UPDATE_READY }] };
}
