import type { Pod, PodStatus } from "../../api/pod.js";
import type { Clock } from "../../lib/clock.js";
import { failureMessage } from "../../lib/failure.js";
import { type ContainerSpec, latestOf, type PodView, simPodOf, uidOf } from "./pod-spec.js";
import type { SimContainer, SimSandbox } from "../runtime/entities.js";
import { imageRefOf, type StoredImage } from "../runtime/image-store.js";
import { containerAnnotations, containerLabels } from "../runtime/kubelet-words.js";
import { ModelFailure } from "../runtime/model-failure.js";
import type { RuntimeWorld } from "../runtime/runtime-world.js";
import { BackOff } from "./back-off.js";
import { containerHash } from "./container-hash.js";
import { EnvironmentProblem, environmentOf } from "./environment.js";
import type { NodeApi } from "./node-api.js";
import type { WaitingReason } from "./pod-status.js";

export interface StarterOptions {
  readonly world: Pick<RuntimeWorld, "containers" | "images">;
  readonly api: NodeApi;
  readonly clock: Clock;
  readonly startMs?: number;
}

// Source: spec/recordings, from Created to Started
const START_MS = 75;

/** One container that should run and does not. */
export interface StartWish {
  readonly pod: Pod;
  readonly spec: ContainerSpec;
  readonly view: PodView;
  readonly sandbox: SimSandbox;
  readonly podIP: string;
  /** What the status says of the pod until now. */
  readonly previous: PodStatus | undefined;
}

/** Why a container was not started, and when to try again. */
export interface NotStarted extends WaitingReason {
  readonly retryInMs: number;
}

const RETRY_MS = 10_000;

/** Starts containers: back-off, image, environment, labels and annotations as the kubelet does it. */
export class ContainerStarter {
  readonly #options: StarterOptions;
  readonly #restarts = new BackOff();
  readonly #pulls = new BackOff();
  readonly #pullProblems = new Map<string, string>();

  constructor(options: StarterOptions) {
    this.#options = options;
  }

  /** @returns undefined once it runs */
  async start(wish: StartWish, signal: AbortSignal): Promise<NotStarted | undefined> {
    const { pod, spec } = wish;
    const { api } = this.#options;
    const tooSoon = this.#restartDelay(wish);
    if (tooSoon !== undefined) return tooSoon;
    const image = await this.#image(pod, spec, signal);
    if ("reason" in image) return image;
    try {
      await this.#run(wish, image, signal);
    } catch (error) {
      const reason = problemOf(error);
      if (reason === undefined) throw error;
      const message = failureMessage(error);
      api.record(pod, { type: "Warning", reason: "Failed", message: `Error: ${message}`, container: spec.name });
      return { reason, message, retryInMs: RETRY_MS };
    }
    return undefined;
  }

  /** The first restart of a container comes at once, the next ones after 10 s and more; a container with another image is another one. */
  #restartDelay({ pod, spec, view }: StartWish): NotStarted | undefined {
    const latest = latestOf(view, spec.name);
    if (latest?.state !== "CONTAINER_EXITED") return undefined;
    const key = `${uidOf(pod)}/${spec.name}/${containerHash(spec)}`;
    const nowMs = this.#options.clock.nowMs();
    const endedAtMs = Number(latest.finishedAtNs / 1_000_000n);
    const retryInMs = this.#restarts.remainingMs(key, endedAtMs, nowMs);
    if (retryInMs === 0) {
      this.#restarts.next(key, endedAtMs, nowMs);
      return undefined;
    }
    const { name, namespace = "" } = pod.metadata;
    const words = `restarting failed container=${spec.name} pod=${name}_${namespace}(${uidOf(pod)})`;
    this.#options.api.record(pod, {
      type: "Warning",
      reason: "BackOff",
      message: `Back-off ${words}`,
      container: spec.name,
    });
    return { reason: "CrashLoopBackOff", message: `back-off ${words}`, retryInMs };
  }

  async #image(pod: Pod, { name, image = "", imagePullPolicy }: ContainerSpec, signal: AbortSignal): Promise<StoredImage | NotStarted> {
    const { world, api, clock } = this.#options;
    const present = world.images.find(image);
    if (present !== undefined && !mustPull(image, imagePullPolicy)) {
      api.record(pod, {
        type: "Normal",
        reason: "Pulled",
        message: `Container image "${image}" already present on machine`,
        container: name,
      });
      return present;
    }
    const key = `${uidOf(pod)}/${image}`;
    const nowMs = clock.nowMs();
    if (this.#pulls.remainingMs(key, this.#pulls.lastMs(key) ?? nowMs, nowMs) > 0) {
      const message = `Back-off pulling image "${image}"`;
      api.record(pod, { type: "Normal", reason: "BackOff", message, container: name });
      return { reason: "ImagePullBackOff", message: `${message}: ${this.#pullProblems.get(key) ?? ""}`, retryInMs: RETRY_MS };
    }
    return this.#pull(pod, { name, image, key }, signal);
  }

  async #pull(
    pod: Pod,
    { name, image, key }: { name: string; image: string; key: string },
    signal: AbortSignal,
  ): Promise<StoredImage | NotStarted> {
    const { world, api, clock } = this.#options;
    api.record(pod, { type: "Normal", reason: "Pulling", message: `Pulling image "${image}"`, container: name });
    const startMs = clock.monotonicMs();
    try {
      const pulled = await world.images.pull(image, signal);
      const ms = Math.round(clock.monotonicMs() - startMs);
      const message = `Successfully pulled image "${image}" in ${ms}ms (${ms}ms including waiting). Image size: ${pulled.sizeBytes} bytes.`;
      api.record(pod, { type: "Normal", reason: "Pulled", message, container: name });
      return pulled;
    } catch (error) {
      signal.throwIfAborted();
      const message = `failed to pull image "${image}": ${failureMessage(error)}`;
      this.#pulls.next(key, this.#pulls.lastMs(key) ?? clock.nowMs(), clock.nowMs());
      this.#pullProblems.set(key, `ErrImagePull: ${message}`);
      api.record(pod, { type: "Warning", reason: "Failed", message, container: name });
      return { reason: "ErrImagePull", message, retryInMs: RETRY_MS };
    }
  }

  async #run(wish: StartWish, image: StoredImage, signal: AbortSignal): Promise<void> {
    const { world, api, clock, startMs = START_MS } = this.#options;
    const { pod, spec } = wish;
    const { id } = this.#create(wish, image);
    api.record(pod, { type: "Normal", reason: "Created", message: "Container created", container: spec.name });
    await clock.sleep(startMs, signal);
    world.containers.start(id);
    api.record(pod, { type: "Normal", reason: "Started", message: "Container started", container: spec.name });
  }

  #create(wish: StartWish, image: StoredImage): SimContainer {
    const { world, api } = this.#options;
    const { pod, spec, sandbox, podIP } = wish;
    const { name, image: reference = "" } = spec;
    const restartCount = restartCountOf(wish);
    const { namespace = "" } = pod.metadata;
    const preStop = spec.lifecycle?.preStop;
    const described = { name, restartCount, hash: containerHash(spec), ...(preStop === undefined ? {} : { preStop }) };
    return world.containers.create({
      sandboxId: sandbox.id,
      name,
      attempt: restartCount,
      image: reference,
      imageRef: imageRefOf(image),
      labels: containerLabels(simPodOf(pod), described),
      annotations: containerAnnotations(simPodOf(pod), described),
      envs: environmentOf(pod, spec, { podIP, configMap: (other) => api.configMap(namespace, other) }),
      imageEnvs: image.envs,
      program: image.program,
    });
  }
}

/** What the pod or the runtime is to blame for; undefined: the kubelet itself, or whoever stopped it. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof EnvironmentProblem) return "CreateContainerConfigError";
  return error instanceof ModelFailure ? "RunContainerError" : undefined;
}

/** Counted on from the newest instance; where the runtime has lost all of them, from the status. */
function restartCountOf({ spec: { name }, view, previous }: StartWish): number {
  const latest = latestOf(view, name);
  if (latest !== undefined) return latest.attempt + 1;
  const shown = previous?.containerStatuses?.find((status) => status.name === name);
  if (shown === undefined) return 0;
  return shown.containerID === undefined ? shown.restartCount : shown.restartCount + 1;
}

function mustPull(image: string, policy: string | undefined): boolean {
  if (policy !== undefined) return policy === "Always";
  const tag = /:([^/@]+)$/.exec(image)?.[1];
  return !image.includes("@") && (tag === undefined || tag === "latest");
}
