import type { Container, Pod } from "../../api/pod.js";
import { metadataEnvs } from "../values/env-from-metadata.js";
import { own } from "../values/json-object.js";
import type { UpdateState } from "./state.js";

/** A container that the update in progress changed, and what about it. */
export interface ConcernedContainer {
  readonly container: Container;
  /** Its env reads metadata and the update changes env. */
  readonly env: boolean;
  /** Its image was changed while it had a status. */
  readonly image: boolean;
}

/**
 * The containers of every batch so far that still exist, in the order of the spec, each with what has to be proven about it.
 *
 * Containers outside the batches are none of the update's business, whatever their env: nothing restarts that the template did not
 * change. (OpenKruise restarts them too when somebody had edited the metadata that they read.)
 */
export function concernedContainers(pod: Pod, state: UpdateState): readonly ConcernedContainer[] {
  const changed = new Set([...state.batches.flatMap((batch) => batch.containers), ...Object.keys(state.lastContainerStatuses)]);
  return pod.spec.containers
    .filter((container) => changed.has(container.name))
    .map((container) => ({
      container,
      env: state.updateEnvFromMetadata && metadataEnvs(container).length > 0,
      image: own(state.lastContainerStatuses, container.name) !== undefined,
    }));
}
