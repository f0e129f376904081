import type { CancelTimer, Clock } from "../../../src/lib/clock.js";
import type { SeededRandom } from "../../support/seeded-random.js";
import type { Incarnation } from "./incarnation.js";
import type { Timeline } from "./timeline.js";

/** How a machine's clock differs from true time; change the fields at any time. */
export interface ClockError {
  /** Of the wall clock. */
  offsetMs: number;
  /** Seconds that pass here while one passes in truth. */
  rate: number;
}

const MAX_OFFSET_MS = 300_000;
const MIN_RATE = 0.98;
const MAX_RATE = 1.02;

/** A clock that is minutes off and drifts. */
export function skewedClock(random: SeededRandom): ClockError {
  return { offsetMs: random.within(-MAX_OFFSET_MS, MAX_OFFSET_MS), rate: random.within(MIN_RATE, MAX_RATE) };
}

/** A clock as it should be. */
export function trueClock(): ClockError {
  return { offsetMs: 0, rate: 1 };
}

/** True time at the start of every run: 2026-01-01T00:00:00Z. */
export const START_MS = 1_767_225_600_000;

/** The time of one machine. */
export function hostClock(timeline: Timeline, error: ClockError): Clock {
  return clockOf(timeline, error, (act) => act());
}

/** The time of a machine as one life of a process on it feels it. */
export function processClock(timeline: Timeline, error: ClockError, incarnation: Incarnation): Clock {
  return clockOf(timeline, error, (act) => incarnation.deliver(act));
}

/** Time goes on while a process works, so two readings are never the same. */
const READING_MS = 0.02;

function clockOf(timeline: Timeline, error: ClockError, deliver: (act: () => void) => void): Clock {
  let readMs = 0;
  const read = (): number => (readMs = Math.max(timeline.nowMs, readMs + READING_MS));
  const schedule = (delayMs: number, callback: () => void): CancelTimer => {
    let isCancelled = false;
    // As Node's timers: on a whole millisecond, so that they may ring a little before the delay is over.
    const atMs = (Math.floor(timeline.nowMs * error.rate) + Math.max(1, Math.trunc(delayMs))) / error.rate;
    const cancel = timeline.at(atMs, () => deliver(() => (isCancelled ? undefined : callback())));
    return () => {
      isCancelled = true;
      cancel();
    };
  };
  return {
    nowMs: () => Math.trunc(START_MS + read() * error.rate + error.offsetMs),
    monotonicMs: () => read() * error.rate,
    schedule,
    sleep(delayMs, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason as Error);
          return;
        }
        const stop = (): void => {
          cancel();
          reject(signal.reason as Error);
        };
        const cancel = schedule(delayMs, () => {
          signal.removeEventListener("abort", stop);
          resolve();
        });
        signal.addEventListener("abort", stop, { once: true });
      });
    },
  };
}
