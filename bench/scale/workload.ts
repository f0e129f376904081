import { NODE_LABEL } from "./pod-binder.js";

export const NAMESPACE = "shop";
/** The annotation that the containers read through their environment. */
export const ANNOTATION = "config";
export const IMAGE = "registry.test/app:v1";

export interface CloneSetShape {
  readonly name: string;
  readonly replicas: number;
  /** All its pods go there; absent: anywhere. */
  readonly node?: string;
  /** How many may be updated at the same time; absent: as many as by default. */
  readonly maxUnavailable?: string;
}

/** A CloneSet whose pods are updated in place: two containers of the size that people write, one of them with env from metadata. */
export function cloneSet({ name, replicas, node, maxUnavailable }: CloneSetShape): object {
  const labels = { app: name, ...(node !== undefined && { [NODE_LABEL]: node }) };
  const plain = { name: "LOG_LEVEL", value: "info" };
  const fromMetadata = { name: "CONFIG", valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${ANNOTATION}']` } } };
  const resources = { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } };
  const ports = [{ name: "http", containerPort: 8080, protocol: "TCP" }];
  return {
    apiVersion: "apps.kruise.io/v1alpha1",
    kind: "CloneSet",
    metadata: { name, namespace: NAMESPACE },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      updateStrategy: { type: "InPlaceIfPossible", ...(maxUnavailable !== undefined && { maxUnavailable }) },
      template: {
        metadata: { labels, annotations: { [ANNOTATION]: "v1" } },
        spec: {
          terminationGracePeriodSeconds: 10,
          containers: [
            { name: "app", image: IMAGE, env: [plain, fromMetadata], resources, ports },
            { name: "sidecar", image: IMAGE, env: [plain], resources },
          ],
        },
      },
    },
  };
}

/** The merge patch that gives the annotation another value. */
export function annotationChange(value: string): object {
  return { spec: { template: { metadata: { annotations: { [ANNOTATION]: value } } } } };
}
