/** The way from one process's machine to a server, as faults leave it; outlives the process. */
export class Link {
  /** Nothing gets through, and everybody is told at once. */
  isDown = false;
  /** Nothing gets through, and nobody is told: connections that exist stay silent until their pings find out. */
  isSilent = false;
  /** On top of the usual, in each direction, for a while. */
  extraDelayMs = 0;
  /** The same always: how far away the server is. */
  readonly distanceMs: number;
  /** How far the server at the other end is behind with what it tells its watchers. */
  watchLagMs = 0;
  readonly #streams = new Set<(failure: string) => void>();

  constructor(distanceMs = 0) {
    this.distanceMs = distanceMs;
  }

  /** Adds something that breaks with the connection. @returns the function that takes it out again */
  track(breakOff: (failure: string) => void): () => void {
    this.#streams.add(breakOff);
    return () => void this.#streams.delete(breakOff);
  }

  /** Ends every connection over this link. */
  cut(failure: string): void {
    const streams = [...this.#streams];
    this.#streams.clear();
    for (const breakOff of streams) breakOff(failure);
  }
}
