import type { NodePodRestart, PodRestart, RestartRequest } from "../../../../src/api/node-pod-restart.js";
import type { LiveEnv, RestartObservation } from "../../../../src/core/container-restart/decide.js";
import type { ContainerInstance } from "../../../../src/core/container-restart/instance.js";

export const POD_UID = "uid-1";

export function makeInstance(overrides: Partial<ContainerInstance> = {}): ContainerInstance {
  return {
    id: "old",
    podUid: POD_UID,
    container: "app",
    state: "Running",
    createdAtMs: 1_000,
    restartCount: 0,
    plainHash: 7,
    graceSeconds: 30,
    preStop: undefined,
    ...overrides,
  };
}

/** A stop request for the instance "old" whose env hash must become 5. */
export function makeStop(overrides: Partial<RestartRequest> = {}): RestartRequest {
  return {
    id: "r1",
    container: "app",
    containerID: "containerd://old",
    envNames: ["CONFIG"],
    stopWhile: { envHashNot: 5 },
    runPreStop: true,
    ...overrides,
  };
}

export interface ObservationParts extends Partial<Omit<RestartObservation, "envOf">> {
  readonly envs?: Readonly<Record<string, LiveEnv>>;
}

export function makeObservation({ envs = {}, ...overrides }: ObservationParts = {}): RestartObservation {
  return {
    podUid: POD_UID,
    runtimeName: "containerd",
    instances: [makeInstance()],
    previous: undefined,
    ...overrides,
    envOf: (id) => envs[id],
  };
}

export function hash(value: number): LiveEnv {
  return { type: "hash", hash: value };
}

export interface ObjectParts {
  readonly generation?: number;
  readonly podRestarts?: readonly PodRestart[];
  readonly status?: NodePodRestart["status"];
}

export function makeNodeObject({ generation = 1, podRestarts = [], status }: ObjectParts = {}): NodePodRestart {
  return {
    metadata: { name: "node-a", generation, resourceVersion: "1", uid: "npr-uid" },
    spec: { podRestarts },
    ...(status === undefined ? {} : { status }),
  };
}
