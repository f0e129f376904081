/**
 * Time as a port: everything that waits or stamps takes one of these, so that tests and the simulated cluster own time.
 */
export interface Clock {
  /** Wall-clock time. Units: milliseconds since the epoch; may jump backwards. */
  nowMs(): number;
  /** Time that only moves forward, for measuring durations. Units: milliseconds since an arbitrary start. */
  monotonicMs(): number;
  /** Resolves after `delayMs`; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
  /** Calls `callback` once after `delayMs`, unless the returned function is called before. */
  schedule(delayMs: number, callback: () => void): CancelTimer;
}

export type CancelTimer = () => void;

// Node fires a longer timer at once instead of later.
const MAX_TIMER_MS = 2_147_483_647;

/** The machine's own time. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: sleepOnTimer,
  schedule(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(delayMs, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

function sleepOnTimer(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const timer = setTimeout(finish, Math.min(delayMs, MAX_TIMER_MS));
    signal.addEventListener("abort", stop, { once: true });
    function finish(): void {
      signal.removeEventListener("abort", stop);
      resolve();
    }
    function stop(): void {
      clearTimeout(timer);
      reject(signal.reason as Error);
    }
  });
}
