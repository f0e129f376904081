/**
 * The container runtime as a port, in the words of CRI v1. Times are milliseconds, ids bare (without `containerd://`).
 *
 * Every call has a deadline of its own besides the signal.
 * @throws {OperationError} code `CRI_<GRPC CODE>`: UNAVAILABLE, DEADLINE_EXCEEDED and unknown transient; NOT_FOUND missing;
 * INVALID_ARGUMENT invalid; PERMISSION_DENIED denied; UNIMPLEMENTED unsupported; FAILED_PRECONDITION conflict.
 */
export interface ContainerRuntime {
  version(signal: AbortSignal): Promise<RuntimeVersion>;
  /** Newest created first. */
  listContainers(filter: ContainerFilter, signal: AbortSignal): Promise<readonly ContainerSummary[]>;
  /** Verbose status: with environment. */
  inspectContainer(id: string, signal: AbortSignal): Promise<ContainerDetail>;
  /** Asks to stop; resolves when the runtime says it has stopped. A container that is gone counts as stopped. The deadline is grace + 30 s. */
  stopContainer(request: StopRequest, signal: AbortSignal): Promise<void>;
  /** Runs a command in the container and waits; a non-zero exit code is a result, not a failure. */
  exec(request: ExecRequest, signal: AbortSignal): Promise<ExecResult>;
  /**
   * Container life-cycle events as they happen, until the runtime goes away (CRI_UNAVAILABLE: ask again, and list).
   *
   * A hint to look, no more: some runtimes share one stream out among all that follow it, the kubelet included.
   * @throws {OperationError} kind unsupported where the runtime has none (containerd 1.6)
   */
  events(signal: AbortSignal): AsyncIterable<ContainerEvent>;
}

export interface RuntimeVersion {
  /** Scheme of `containerID` in pod status, such as `containerd`. */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly apiVersion: string;
}

export interface ContainerFilter {
  readonly id?: string;
  readonly podUid?: string;
}

export type ContainerRunState = "Created" | "Running" | "Exited" | "Unknown";

export interface ContainerSummary {
  readonly id: string;
  /** Empty in a detail of a runtime that does not tell. */
  readonly podSandboxId: string;
  /** CRI metadata name, equal to the container's name in the pod spec. */
  readonly name: string;
  readonly attempt: number;
  readonly state: ContainerRunState;
  readonly createdAtMs: number;
  readonly imageRef: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ContainerDetail extends ContainerSummary {
  /** Zero when not started. */
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly reason: string;
  /** Byte-exact environment as the runtime started it; undefined if the runtime does not tell. Later duplicates win. */
  readonly env: ReadonlyMap<string, string> | undefined;
}

export interface StopRequest {
  readonly id: string;
  /** Whole seconds. */
  readonly graceSeconds: number;
}

export interface ExecRequest {
  readonly id: string;
  readonly command: readonly string[];
  /** Whole seconds, at least 1. */
  readonly timeoutSeconds: number;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ContainerEvent {
  readonly containerId: string;
  readonly type: "Created" | "Started" | "Stopped" | "Deleted";
  readonly createdAtMs: number;
}

/** The image side of the runtime. Same failures. */
export interface ImageRuntime {
  listImages(signal: AbortSignal): Promise<readonly Image[]>;
  /** Pulls and returns the image ref that the runtime reports. The deadline is `timeoutMs`; aborting cancels the pull. */
  pullImage(request: PullRequest, signal: AbortSignal): Promise<string>;
  /** The image, or undefined if the runtime has none under that reference. */
  imageStatus(reference: string, signal: AbortSignal): Promise<Image | undefined>;
}

export interface Image {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
}

export interface PullRequest {
  /** Fully qualified reference. */
  readonly reference: string;
  readonly timeoutMs: number;
  readonly sandboxLabels?: Readonly<Record<string, string>>;
  readonly sandboxAnnotations?: Readonly<Record<string, string>>;
  readonly auth?: PullAuth;
}

export interface PullAuth {
  readonly username: string;
  readonly password: string;
  readonly serverAddress?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
}
