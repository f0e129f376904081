import type { ContainerEventType, ContainerOutput, ContainerState, ContainerStatusOutput, ImageOutput } from "./gen/runtime-proto.js";
import type { ContainerEvent, ContainerRunState, ContainerSummary, Image } from "./runtime.js";

const RUN_STATES: ReadonlyMap<ContainerState, ContainerRunState> = new Map<ContainerState, ContainerRunState>([
  ["CONTAINER_CREATED", "Created"],
  ["CONTAINER_RUNNING", "Running"],
  ["CONTAINER_EXITED", "Exited"],
]);

const EVENT_TYPES: ReadonlyMap<ContainerEventType, ContainerEvent["type"]> = new Map<ContainerEventType, ContainerEvent["type"]>([
  ["CONTAINER_CREATED_EVENT", "Created"],
  ["CONTAINER_STARTED_EVENT", "Started"],
  ["CONTAINER_STOPPED_EVENT", "Stopped"],
  ["CONTAINER_DELETED_EVENT", "Deleted"],
]);

/** Milliseconds of a CRI time in nanoseconds; zero for "never", which some runtimes write as a time before the epoch. */
export function toMilliseconds(nanoseconds: string): number {
  const value = BigInt(nanoseconds);
  return value <= 0n ? 0 : Number(value / 1_000_000n);
}

/** The words of the port for a container state; what we do not know is Unknown. */
export function toRunState(state: ContainerState): ContainerRunState {
  return RUN_STATES.get(state) ?? "Unknown";
}

/** The words of the port for a kind of event; undefined for kinds that we do not know. */
export function toEventType(type: ContainerEventType): ContainerEvent["type"] | undefined {
  return EVENT_TYPES.get(type);
}

/** One line of a container list. */
export function toContainerSummary(container: ContainerOutput): ContainerSummary {
  return { ...commonFields(container), podSandboxId: container.podSandboxId };
}

/** What a container's status and its line in a list have in common. */
export function commonFields(container: ContainerOutput | ContainerStatusOutput): Omit<ContainerSummary, "podSandboxId"> {
  return {
    id: container.id,
    name: container.metadata?.name ?? "",
    attempt: container.metadata?.attempt ?? 0,
    state: toRunState(container.state),
    createdAtMs: toMilliseconds(container.createdAt),
    imageRef: container.imageRef,
    labels: container.labels,
    annotations: container.annotations,
  };
}

/** Newest first by the exact time, which milliseconds would blur: the first of a name is its latest instance. */
export function newestFirst(containers: readonly ContainerOutput[]): readonly ContainerOutput[] {
  return [...containers].sort((a, b) => compareDescending(BigInt(a.createdAt), BigInt(b.createdAt)));
}

function compareDescending(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a > b ? -1 : 1;
}

/** An image as the port has it. */
export function toImage({ id, repoTags, repoDigests, size }: ImageOutput): Image {
  return { id, repoTags, repoDigests, sizeBytes: Number(size) };
}
