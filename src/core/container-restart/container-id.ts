/** The two halves of a `containerID` as pod status writes it: `containerd://f603…`. */
export interface ContainerId {
  /** Name of the runtime, such as `containerd`. */
  readonly runtimeName: string;
  /** The runtime's own id. */
  readonly id: string;
}

/** @returns undefined for text that is no container ID */
export function parseContainerId(text: string): ContainerId | undefined {
  const separator = text.indexOf("://");
  const id = text.slice(separator + 3);
  return separator < 1 || id === "" ? undefined : { runtimeName: text.slice(0, separator), id };
}

/** The text form that pod status uses. */
export function formatContainerId({ runtimeName, id }: ContainerId): string {
  return `${runtimeName}://${id}`;
}
