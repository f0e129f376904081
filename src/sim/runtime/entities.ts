/** What a process exits with when SIGKILL ends it. */
export const KILLED = 137;

/** A variable as CRI has it; order and duplicates matter. */
export interface SimVariable {
  readonly key: string;
  readonly value: string;
}

export interface SimSandbox {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly attempt: number;
  readonly isReady: boolean;
  readonly createdAtNs: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Of its network; absent where nobody asked for one. */
  readonly ip?: string;
}

/** Created to Running to Exited, each at most once; then removed. */
export type SimContainerState = "CONTAINER_CREATED" | "CONTAINER_RUNNING" | "CONTAINER_EXITED";

/** One container instance; replaced, never changed, so that an old list stays what it was. */
export interface SimContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly name: string;
  readonly attempt: number;
  readonly state: SimContainerState;
  readonly createdAtNs: bigint;
  readonly startedAtNs: bigint;
  readonly finishedAtNs: bigint;
  readonly exitCode: number;
  readonly reason: string;
  /** As the kubelet named it. */
  readonly image: string;
  readonly imageRef: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** What the kubelet asked for. */
  readonly envs: readonly SimVariable[];
  /** What the image adds before it. */
  readonly imageEnvs: readonly SimVariable[];
  readonly program: SimProgram;
  /** Of the local process behind it; absent where containers are only modelled. */
  readonly pid?: number;
}

/** Makes containers real: local processes stand behind them. */
export interface ContainerProcesses {
  /** Starts the process of a container; `ended` is called once. @returns its pid; 0 if it cannot be started */
  start(container: SimContainer, ended: (exitCode: number) => void): number;
  /** Asks it to end. */
  ask(id: string): void;
  /** Ends it, if it still runs. */
  kill(id: string): void;
}

/** How the process in a container behaves. */
export interface SimProgram {
  /** Whether it ends when asked to; else only the kill after the grace period ends it. */
  readonly heedsTerm: boolean;
  /** From being asked to its end. */
  readonly stopMs: number;
  /** Its exit code when asked to end. */
  readonly termExitCode: number;
  /** Ends by itself after that time; undefined: runs until stopped. */
  readonly exitsAfterMs?: number;
  /** What it ends with by itself; default: 0. */
  readonly exitCode?: number;
  /** From its start until it passes probes; default: at once. */
  readonly answersAfterMs?: number;
}

/** Ends at once when asked to, as a well-behaved server does. */
export const DEFAULT_PROGRAM: SimProgram = { heedsTerm: true, stopMs: 5, termExitCode: 143 };

export type SimEventType = "CONTAINER_CREATED_EVENT" | "CONTAINER_STARTED_EVENT" | "CONTAINER_STOPPED_EVENT" | "CONTAINER_DELETED_EVENT";

export interface SimEvent {
  readonly type: SimEventType;
  readonly container: SimContainer;
  readonly atNs: bigint;
}
