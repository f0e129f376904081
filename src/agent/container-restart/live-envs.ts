import { liveEnvHash } from "../../core/values/env-from-metadata.js";
import type { LiveEnv } from "../../core/container-restart/decide.js";
import type { ContainerRuntime } from "../../cri/runtime.js";

/** Which hash: of one instance, over these names. */
export interface EnvQuestion {
  readonly podUid: string;
  readonly instanceId: string;
  readonly envNames: readonly string[];
}

/**
 * Hashes of the live env of container instances. An instance's env never changes, so each is read once; the values themselves are
 * not kept.
 */
export class LiveEnvs {
  readonly #runtime: ContainerRuntime;
  readonly #byPod = new Map<string, Map<string, LiveEnv>>();

  constructor(runtime: ContainerRuntime) {
    this.#runtime = runtime;
  }

  /** What is known without asking the runtime. */
  known({ podUid, instanceId, envNames }: EnvQuestion): LiveEnv {
    return this.#byPod.get(podUid)?.get(cacheKey(instanceId, envNames));
  }

  /** @throws {OperationError} missing if the instance is gone, else as the runtime's */
  async read({ podUid, instanceId, envNames }: EnvQuestion, signal: AbortSignal): Promise<void> {
    const { env } = await this.#runtime.inspectContainer(instanceId, signal);
    const ofPod = this.#byPod.get(podUid) ?? new Map<string, LiveEnv>();
    ofPod.set(
      cacheKey(instanceId, envNames),
      env === undefined ? { type: "unreadable" } : { type: "hash", hash: liveEnvHash(envNames, env) },
    );
    this.#byPod.set(podUid, ofPod);
  }

  /** Nobody asks about the pod any more. */
  forget(podUid: string): void {
    this.#byPod.delete(podUid);
  }
}

function cacheKey(instanceId: string, envNames: readonly string[]): string {
  return [instanceId, ...envNames].join("\n");
}
