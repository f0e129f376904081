import type { NodeImage } from "../api/node-image.js";
import type { NodePodRestart } from "../api/node-pod-restart.js";
import type { ContainerRuntime, ImageRuntime } from "../cri/runtime.js";
import type { KubeClient } from "../kube/client.js";
import type { EventRecorder } from "../kube/event-recorder.js";
import type { Informer } from "../kube/informer.js";
import type { Clock } from "../lib/clock.js";
import type { FeatureGates } from "../lib/feature-gates.js";
import type { Logger } from "../lib/logger.js";
import type { Metrics } from "../lib/metrics.js";
import type { Random } from "../lib/random.js";

/** What every reconciler of the agent is built from; `cli/agent.ts` makes it once. */
export interface AgentDependencies {
  readonly nodeName: string;
  readonly client: KubeClient;
  readonly runtime: ContainerRuntime;
  readonly images: ImageRuntime;
  readonly events: EventRecorder;
  readonly gates: FeatureGates;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Image pulls side by side on this node; 0 or less, or absent: the default of `image-pull/pull-slots.ts`. */
  readonly maxParallelPulls?: number;
  /** Logical CPUs of the node; default 2. How many container stops may begin at once grows with it. */
  readonly cpuCount?: number;
  readonly informers: {
    readonly nodePodRestarts: Informer<NodePodRestart>;
    /** Only the object named after this node (field selector `metadata.name`). */
    readonly nodeImages: Informer<NodeImage>;
  };
}
