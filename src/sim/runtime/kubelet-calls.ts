import type { SimSandbox } from "./entities.js";
import type { CreateContainerRequestOutput, PodSandbox, PodSandboxConfigOutput, SandboxesUnaryMethods } from "./gen/sandboxes-proto.js";
import { imageRefOf } from "./image-store.js";
import { MODEL_STATUS, ModelFailure } from "./model-failure.js";
import type { UnaryHandlers } from "./runtime-calls.js";
import type { RuntimeWorld } from "./runtime-world.js";

/** The calls that a kubelet makes. */
export function kubeletCalls(world: RuntimeWorld): UnaryHandlers<SandboxesUnaryMethods> {
  return {
    RunPodSandbox: ({ config }) => ({ podSandboxId: runSandbox(world, config).id }),
    StopPodSandbox({ podSandboxId }) {
      world.containers.stopSandbox(podSandboxId);
      return {};
    },
    RemovePodSandbox({ podSandboxId }) {
      world.containers.removeSandbox(podSandboxId);
      return {};
    },
    ListPodSandbox: () => ({ items: world.containers.sandboxes().map(toPodSandbox) }),
    CreateContainer: (request) => ({ containerId: createContainer(world, request) }),
    StartContainer({ containerId }) {
      world.containers.start(containerId);
      return {};
    },
    RemoveContainer({ containerId }) {
      world.containers.remove(containerId);
      return {};
    },
    RemoveImage({ image }) {
      world.images.remove(image?.image ?? "");
      return {};
    },
  };
}

function runSandbox(world: RuntimeWorld, config: PodSandboxConfigOutput | null): SimSandbox {
  const metadata = config?.metadata;
  if (config === null || metadata === null || metadata === undefined) {
    throw new ModelFailure(MODEL_STATUS.INVALID_ARGUMENT, "sandbox config must include metadata");
  }
  const { name, namespace, uid, attempt } = metadata;
  return world.containers.addSandbox({ name, namespace, uid, attempt, labels: config.labels, annotations: config.annotations });
}

function createContainer(world: RuntimeWorld, { podSandboxId, config }: CreateContainerRequestOutput): string {
  const reference = config?.image?.image ?? "";
  const image = world.images.find(reference);
  if (config === null || image === undefined) {
    throw new ModelFailure(MODEL_STATUS.NOT_FOUND, `failed to resolve image "${reference}": not found`);
  }
  const { labels, annotations, envs } = config;
  const { name, attempt } = config.metadata ?? { name: "", attempt: 0 };
  const { id } = world.containers.create({
    sandboxId: podSandboxId,
    name,
    attempt,
    image: reference,
    imageRef: imageRefOf(image),
    labels,
    annotations,
    envs,
    imageEnvs: image.envs,
    program: image.program,
  });
  return id;
}

function toPodSandbox({ id, name, namespace, uid, attempt, isReady, createdAtNs, labels, annotations }: SimSandbox): PodSandbox {
  return {
    id,
    metadata: { name, namespace, uid, attempt },
    state: isReady ? "SANDBOX_READY" : "SANDBOX_NOTREADY",
    createdAt: String(createdAtNs),
    labels,
    annotations,
  };
}
