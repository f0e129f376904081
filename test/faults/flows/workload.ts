import { CLONE_SETS } from "../../../src/api/resources.js";
import type { CloneSet } from "../../../src/api/clone-set.js";
import type { SimCluster } from "../cluster/sim-cluster.js";
import type { Shape } from "../plan/plan.js";

export const NAMESPACE = "shop";
export const SET = "web";
export const ANNOTATION = "config";
/** Starts every value that reaches a container, so that a leak can be found. */
export const CANARY = "canary-value-";
const MERGE = "application/merge-patch+json";

/** What a version of the template says. */
export interface Template {
  readonly image: string;
  readonly config: string;
  /** Changes what no update in place can change. */
  readonly command?: string;
}

/** Registry images that nodes have, or can get within a moment. */
export function publishImages({ nodes }: SimCluster): void {
  for (const { world } of nodes) {
    world.images.preload({ reference: "lab.local/app:v0", sizeBytes: 4_000_000 });
    world.images.preload({ reference: "lab.local/sidecar:v0", sizeBytes: 4_000_000 });
    for (let version = 1; version < 20; version++) {
      const reference = `lab.local/app:v${String(version)}`;
      world.images.publish({ reference, sizeBytes: 4_000_000, bytesPerSecond: 8_000_000, latencyMs: 40 });
    }
  }
}

/** The CloneSet of every flow that has one: an app that reads an annotation through its environment, and a sidecar that does not. */
export function createSet({ state }: SimCluster, shape: Shape, template: Template): void {
  const { podCount, maxUnavailable, graceSeconds } = shape;
  const grace = graceSeconds > 0 ? { inPlaceUpdateStrategy: { gracePeriodSeconds: graceSeconds } } : {};
  const body = {
    apiVersion: "apps.kruise.io/v1alpha1",
    kind: "CloneSet",
    metadata: { name: SET, namespace: NAMESPACE },
    spec: {
      replicas: podCount,
      selector: { matchLabels: { app: SET } },
      updateStrategy: { type: "InPlaceIfPossible", maxUnavailable, ...grace },
      template: templateOf(shape, template),
    },
  };
  state.create(CLONE_SETS, body, NAMESPACE);
}

/** Gives the set another template, as `kubectl apply` would; nothing if the set is gone. */
export function changeTemplate(cluster: SimCluster, shape: Shape, template: Template): void {
  const { state, journal } = cluster;
  if (setOf(cluster) === undefined) return;
  journal.add({ type: "user", action: "changes template", subject: JSON.stringify(template) });
  const body = { spec: { template: templateOf(shape, template) } };
  state.patch(CLONE_SETS, { namespace: NAMESPACE, name: SET }, { contentType: MERGE, body });
}

function templateOf({ hasPreStop }: Shape, { image, config, command }: Template): object {
  const lifecycle = hasPreStop ? { lifecycle: { preStop: { exec: { command: ["/drain"] } } } } : {};
  const env = [{ name: "CONFIG", valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${ANNOTATION}']` } } }];
  const app = {
    name: "app",
    image,
    imagePullPolicy: "IfNotPresent",
    env,
    ...lifecycle,
    ...(command === undefined ? {} : { command: [command] }),
  };
  return {
    metadata: { labels: { app: SET }, annotations: { [ANNOTATION]: config } },
    spec: {
      terminationGracePeriodSeconds: 3,
      containers: [app, { name: "sidecar", image: "lab.local/sidecar:v0", imagePullPolicy: "IfNotPresent" }],
    },
  };
}

export function setOf({ state }: SimCluster): CloneSet | undefined {
  return state.list(CLONE_SETS, NAMESPACE).find(({ metadata }) => metadata.name === SET) as unknown as CloneSet | undefined;
}
