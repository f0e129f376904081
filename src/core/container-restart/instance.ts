import { parsePreStop, type PreStopHandler } from "./pre-stop.js";

/** One container as the runtime lists it: the same shape as the runtime port's summary. */
export interface ListedContainer {
  readonly id: string;
  readonly state: InstanceState;
  readonly createdAtMs: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export type InstanceState = "Created" | "Running" | "Exited" | "Unknown";

/** One container instance in the kubelet's words: everything here was written on it by the kubelet when it created it. */
export interface ContainerInstance {
  readonly id: string;
  readonly podUid: string;
  readonly container: string;
  readonly state: InstanceState;
  readonly createdAtMs: number;
  readonly restartCount: number;
  readonly plainHash: number | undefined;
  /** What the kubelet would give the container to end. */
  readonly graceSeconds: number;
  readonly preStop: PreStopHandler | undefined;
}

const DEFAULT_GRACE_SECONDS = 30;
const POD_UID = "io.kubernetes.pod.uid";
const CONTAINER_NAME = "io.kubernetes.container.name";
const PLAIN_HASH = "io.kubernetes.container.hash";
const RESTART_COUNT = "io.kubernetes.container.restartCount";
const PRE_STOP = "io.kubernetes.container.preStopHandler";
const TERMINATION_GRACE = "io.kubernetes.pod.terminationGracePeriod";
const DELETION_GRACE = "io.kubernetes.pod.deletionGracePeriod";

/**
 * Reads the kubelet's labels and annotations of one container.
 *
 * @returns undefined for a container that no kubelet made; such a container is never touched
 * Source: spec/node-agent.md 1.6
 */
export function readInstance(listed: ListedContainer): ContainerInstance | undefined {
  const { labels, annotations } = listed;
  const podUid = labels[POD_UID];
  const container = labels[CONTAINER_NAME];
  if (!podUid || !container) return undefined;
  return {
    id: listed.id,
    podUid,
    container,
    state: listed.state,
    createdAtMs: listed.createdAtMs,
    restartCount: readDecimal(annotations[RESTART_COUNT]) ?? 0,
    plainHash: readHexadecimal(annotations[PLAIN_HASH]),
    graceSeconds: readDecimal(annotations[DELETION_GRACE]) ?? readDecimal(annotations[TERMINATION_GRACE]) ?? DEFAULT_GRACE_SECONDS,
    preStop: parsePreStop(annotations[PRE_STOP]),
  };
}

/** The newest instance of each container name. */
export function newestInstances(instances: readonly ContainerInstance[]): ReadonlyMap<string, ContainerInstance> {
  const newest = new Map<string, ContainerInstance>();
  for (const instance of instances) {
    const known = newest.get(instance.container);
    if (known === undefined || isNewer(instance, known)) newest.set(instance.container, instance);
  }
  return newest;
}

// The kubelet counts restarts up from the instance before, also in a new sandbox. Creation time would be wrong where the node's clock
// was set back in between; it decides only where counts are equal, for example because the kubelet had lost them.
function isNewer(a: ContainerInstance, b: ContainerInstance): boolean {
  return a.restartCount === b.restartCount ? a.createdAtMs > b.createdAtMs : a.restartCount > b.restartCount;
}

function readDecimal(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

function readHexadecimal(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9a-fA-F]{1,8}$/.test(text) ? Number.parseInt(text, 16) : undefined;
}
