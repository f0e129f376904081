import type { NodeImage } from "../api/node-image.js";
import type { NodePodRestart } from "../api/node-pod-restart.js";
import type { ContainerRuntime, ImageRuntime } from "../cri/runtime.js";
import type { ReconcilerDependencies } from "../kube/dependencies.js";
import type { Informer } from "../kube/informer.js";

/** What every reconciler of the agent is built from; `cli/agent-tasks.ts` makes it once. */
export interface AgentDependencies extends ReconcilerDependencies {
  readonly nodeName: string;
  readonly runtime: ContainerRuntime;
  readonly images: ImageRuntime;
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
