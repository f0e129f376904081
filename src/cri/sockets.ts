/** Where runtimes put their sockets below the host's run directory, most likely first; k3s has its own in place of /run. */
const KNOWN_SOCKETS = [
  "containerd.sock",
  "containerd/containerd.sock",
  "crio.sock",
  "crio/crio.sock",
  "cri-dockerd.sock",
  "cri-dockerd/cri-dockerd.sock",
] as const;

/** Where to look: the mounted run directory of the host, and the socket that the user named, if any. */
export interface SocketPlaces {
  readonly runDirectory: string;
  /** Relative to the run directory, or absolute, or with `unix://` before it. */
  readonly socketFile?: string | undefined;
}

/**
 * The sockets on which a runtime may answer, best first. One that the user named is the only one.
 *
 * Whether they exist is not looked at: a runtime may appear later.
 * Source: spec/node-agent.md section 1.5
 */
export function candidateSockets({ runDirectory, socketFile }: SocketPlaces): readonly string[] {
  const directory = runDirectory.replace(/\/+$/, "");
  if (socketFile === undefined || socketFile === "") return KNOWN_SOCKETS.map((name) => `${directory}/${name}`);
  const path = socketFile.replace(/^unix:\/\//, "");
  return [path.startsWith("/") ? path : `${directory}/${path}`];
}
