import type { SimContainer, SimEvent } from "./entities.js";
import type {
  Container,
  ContainerEventResponse,
  ContainerStatusRequestOutput,
  ContainerStatusResponse,
  ExecSyncRequestOutput,
  ExecSyncResponse,
  Image,
  ListContainersRequestOutput,
  ListContainersResponse,
  RuntimeUnaryMethods,
  StopContainerRequestOutput,
} from "./gen/runtime-proto.js";
import type { StoredImage } from "./image-store.js";
import { MODEL_STATUS, ModelFailure } from "./model-failure.js";
import type { RuntimeWorld } from "./runtime-world.js";
import { verboseInfo } from "./verbose-status.js";

/** One handler per method; the signal aborts when the caller gives up. */
export type UnaryHandlers<Methods> = {
  readonly [M in keyof Methods]: Methods[M] extends { received: infer Received; answer: infer Answer }
    ? (request: Received, signal: AbortSignal) => Answer | Promise<Answer>
    : never;
};

/** What the model says it is. */
export interface RuntimeIdentity {
  readonly runtimeName: string;
  readonly runtimeVersion: string;
}

/** The calls that an agent makes. */
export function runtimeCalls(world: RuntimeWorld, identity: RuntimeIdentity): UnaryHandlers<RuntimeUnaryMethods> {
  return {
    Version: () => ({ version: "0.1.0", runtimeApiVersion: "v1", ...identity }),
    ListContainers: (request) => listContainers(world, request),
    ContainerStatus: (request) => containerStatus(world, request),
    StopContainer: (request, signal) => stopContainer(world, request, signal),
    ExecSync: (request, signal) => execSync(world, request, signal),
    ListImages: () => ({ images: world.images.list().map(toImage) }),
    ImageStatus: ({ image }) => {
      const found = world.images.find(image?.image ?? "");
      return found === undefined ? {} : { image: toImage(found) };
    },
    PullImage: async ({ image }, signal) => ({ imageRef: (await world.images.pull(image?.image ?? "", signal)).id }),
  };
}

/** An event as it goes over the wire. */
export function toEventResponse({ type, container, atNs }: SimEvent): ContainerEventResponse {
  return { containerId: container.id, containerEventType: type, createdAt: String(atNs) };
}

function listContainers(world: RuntimeWorld, { filter }: ListContainersRequestOutput): ListContainersResponse {
  const wanted = Object.entries(filter?.labelSelector ?? {});
  const containers = world.containers
    .list(world.faults.listLagMs)
    .filter(({ id }) => filter === null || filter.id === "" || id.startsWith(filter.id))
    .filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value))
    .map(toContainer);
  return { containers: padded(containers, world.faults.listPaddingBytes) };
}

function padded(containers: readonly Container[], bytes: number): readonly Container[] {
  const [first, ...others] = containers;
  if (first === undefined || bytes === 0) return containers;
  return [{ ...first, annotations: { ...first.annotations, padding: "x".repeat(bytes) } }, ...others];
}

function containerStatus(world: RuntimeWorld, { containerId, verbose }: ContainerStatusRequestOutput): ContainerStatusResponse {
  const container = world.containers.get(containerId);
  const status = {
    ...commonFields(container),
    startedAt: String(container.startedAtNs),
    finishedAt: String(container.finishedAtNs),
    exitCode: container.exitCode,
    reason: container.reason,
  };
  return { status, info: verbose && !world.faults.hasNoVerboseInfo ? verboseInfo(container) : {} };
}

async function stopContainer(
  world: RuntimeWorld,
  request: StopContainerRequestOutput,
  signal: AbortSignal,
): Promise<Record<string, never>> {
  const { containerId, timeout } = request;
  const graceMs = Number(timeout) * 1000;
  world.faults.onStop?.(containerId);
  // containerd says OK for one that it never had or has no more.
  if (!world.containers.has(containerId)) return {};
  switch (world.faults.stop) {
    case "answers-but-runs":
      return {};
    case "hangs":
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));
    case "fails-but-dies":
      await world.containers.stop(containerId, graceMs, signal);
      throw new ModelFailure(MODEL_STATUS.UNKNOWN, `failed to stop container "${containerId}": ttrpc: closed`);
    case "dies-late":
      await world.containers.stopLate(containerId, graceMs + world.faults.lateMs, signal);
      return {};
    case undefined:
      await world.containers.stop(containerId, graceMs, signal);
      return {};
  }
}

async function execSync(world: RuntimeWorld, request: ExecSyncRequestOutput, signal: AbortSignal): Promise<ExecSyncResponse> {
  const container = world.containers.get(request.containerId);
  if (container.state !== "CONTAINER_RUNNING") {
    throw new ModelFailure(MODEL_STATUS.UNKNOWN, `failed to exec in container: container is in ${container.state} state`);
  }
  const call = { containerId: container.id, command: request.cmd, timeoutSeconds: Number(request.timeout) };
  const { exitCode, stdout = "", stderr = "" } = await world.exec(call, signal);
  return { exitCode, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) };
}

function toContainer(container: SimContainer): Container {
  return { ...commonFields(container), podSandboxId: container.sandboxId };
}

function commonFields(container: SimContainer): Omit<Container, "podSandboxId"> {
  return {
    id: container.id,
    metadata: { name: container.name, attempt: container.attempt },
    state: container.state,
    createdAt: String(container.createdAtNs),
    imageRef: container.imageRef,
    labels: container.labels,
    annotations: container.annotations,
  };
}

function toImage({ id, repoTags, repoDigests, sizeBytes }: StoredImage): Image {
  return { id, repoTags, repoDigests, size: String(sizeBytes) };
}
