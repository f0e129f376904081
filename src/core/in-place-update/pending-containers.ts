import type { Container, Pod } from "../../api/pod.js";
import { expectedEnvHash, metadataEnvs } from "../values/env-from-metadata.js";
import { plainHash } from "../values/hash.js";
import { type ConcernedContainer, concernedContainers } from "./concerned.js";
import { isMidUpdate } from "./progress.js";
import { readUpdateState } from "./state.js";
import type { PendingContainer } from "./types.js";

/**
 * The containers about which the node's agent is asked while the pod is being updated, in the order of the spec.
 *
 * A container stays in the list until the whole update is complete, because its newest instance has to be reported. Empty for settled
 * and terminating pods, during a grace period, and when only metadata changed that no container reads.
 */
export function pendingContainers(pod: Pod): readonly PendingContainer[] {
  const state = readUpdateState(pod);
  if (state.type !== "value" || !isMidUpdate(pod)) return [];
  const { updateEnvFromMetadata } = state.value;
  const concerned = new Map(concernedContainers(pod, state.value).map((entry) => [entry.container.name, entry]));
  const isNeeded = [...concerned.values()].some(({ env, image }) => env || image);
  return pod.spec.containers.flatMap((container) => {
    const reason = reasonFor(concerned.get(container.name)) ?? (updateEnvFromMetadata && isNeeded ? "facts" : undefined);
    return reason === undefined ? [] : [toPending(pod, container, { reason, withEnv: updateEnvFromMetadata })];
  });
}

function reasonFor(concerned: ConcernedContainer | undefined): PendingContainer["reason"] | undefined {
  if (concerned === undefined) return undefined;
  if (concerned.env) return concerned.image ? "both" : "env";
  return concerned.image ? "image" : undefined;
}

interface Asked {
  readonly reason: PendingContainer["reason"];
  readonly withEnv: boolean;
}

function toPending(pod: Pod, container: Container, { reason, withEnv }: Asked): PendingContainer {
  return {
    container: container.name,
    reason,
    expectedEnvHash: expectedEnvHash(container, pod.metadata),
    envNames: withEnv ? metadataEnvs(container).map(({ name }) => name) : [],
    expectedPlainHash: plainHash(container),
  };
}
