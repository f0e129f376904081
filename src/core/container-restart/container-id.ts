/** The two halves of a `containerID` as pod status writes it: `containerd://f603…`. */
export interface ContainerId {
  /** Name of the runtime, such as `containerd`. */
  readonly runtimeName: string;
  /** The runtime's own id. */
  readonly id: string;
}

// As the CRD of NodePodRestart has it.
const CONTAINER_ID = /^([a-z0-9.+-]+):\/\/(.+)$/;
const MAX_LENGTH = 253;

/** @returns undefined for text that is no container ID */
export function parseContainerId(text: string): ContainerId | undefined {
  const [, runtimeName, id] = CONTAINER_ID.exec(text) ?? [];
  return runtimeName === undefined || id === undefined || text.length > MAX_LENGTH ? undefined : { runtimeName, id };
}

/** The text form that pod status uses. */
export function formatContainerId({ runtimeName, id }: ContainerId): string {
  return `${runtimeName}://${id}`;
}
