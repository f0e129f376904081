import type { CancelTimer, Clock } from "../lib/clock.js";

/** The reason with which a signal of `startDeadline` aborts when time is up. */
export class DeadlinePassed extends Error {
  readonly afterMs: number;

  constructor(afterMs: number) {
    super(`no answer in ${afterMs} ms`);
    this.name = "DeadlinePassed";
    this.afterMs = afterMs;
  }
}

/** A signal that follows another one and also aborts when time is up. `end` or `release` must be called: it frees the timer and the listener. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Time left. Units: milliseconds. */
  leftMs(): number;
  /** Starts the time anew. */
  restart(delayMs: number): void;
  /** Ends this signal's scope; what still hangs on it is aborted. */
  end(): void;
  /** The same where nothing hangs on it any more. Aborting costs more than most requests do. */
  release(): void;
}

const ENDED = new Error("the operation has ended");

/**
 * Starts a deadline below `parent`. Unlike AbortSignal.any and AbortSignal.timeout it uses the clock port and leaves nothing behind on a
 * parent that lives as long as the process.
 */
export function startDeadline(clock: Clock, delayMs: number, parent: AbortSignal): Deadline {
  const own = new AbortController();
  const follow = (): void => own.abort(parent.reason);
  let endMs = 0;
  let cancelTimer: CancelTimer = () => undefined;
  const restart = (afterMs: number): void => {
    cancelTimer();
    endMs = clock.monotonicMs() + afterMs;
    cancelTimer = clock.schedule(afterMs, () => own.abort(new DeadlinePassed(afterMs)));
  };
  restart(delayMs);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  const release = (): void => {
    cancelTimer();
    parent.removeEventListener("abort", follow);
  };
  return {
    signal: own.signal,
    restart,
    leftMs: () => endMs - clock.monotonicMs(),
    release,
    end() {
      release();
      own.abort(ENDED);
    },
  };
}
