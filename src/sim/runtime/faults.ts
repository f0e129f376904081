/** How a stop can go wrong while its caller waits. */
export type StopFault =
  /** The container ends, the answer is an error. */
  | "fails-but-dies"
  /** The answer is OK, the container goes on. */
  | "answers-but-runs"
  /** No answer until the caller gives up; the container goes on. */
  | "hangs"
  /** The container heeds neither request nor kill and ends `lateMs` after its grace period; only then there is an answer. */
  | "dies-late";

/** What is wrong with the runtime right now; set the fields at any time. */
export interface RuntimeFaults {
  stop: StopFault | undefined;
  /** Of a stop that is "dies-late". */
  lateMs: number;
  /** Runs at the instant when a stop arrives, before anything is done: for what others do to the container just then. */
  onStop: ((containerId: string) => void) | undefined;
  /** GetContainerEvents is UNIMPLEMENTED, as in containerd 1.6. */
  hasNoEvents: boolean;
  /** Lists show the containers as they were so long ago; at most 2000. */
  listLagMs: number;
  /** Bytes of annotation added to every list of containers that is not empty. */
  listPaddingBytes: number;
  /** The verbose status tells nothing. */
  hasNoVerboseInfo: boolean;
  /** Runs before every call; what it throws is the answer (a ModelFailure with its status), and it may wait. */
  intercept: ((method: string, signal: AbortSignal) => Promise<void>) | undefined;
}

/** A healthy runtime. */
export function noFaults(): RuntimeFaults {
  return {
    stop: undefined,
    lateMs: 60_000,
    onStop: undefined,
    hasNoEvents: false,
    listLagMs: 0,
    listPaddingBytes: 0,
    hasNoVerboseInfo: false,
    intercept: undefined,
  };
}
