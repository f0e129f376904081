import type { CancelTimer, Clock } from "../lib/clock.js";
import type { Logger } from "../lib/logger.js";
import { EXIT_FAILURE, EXIT_OK } from "../lib/process.js";

export interface SuperviseOptions {
  readonly shutdownGraceMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Runs a process's work until the signal aborts, and then gives it its time to end.
 *
 * @returns the exit code: 0 after an orderly end, 1 if the work broke or did not end in time
 */
export async function supervise(
  work: (signal: AbortSignal) => Promise<void>,
  options: SuperviseOptions,
  signal: AbortSignal,
): Promise<number> {
  const { shutdownGraceMs, clock, logger } = options;
  let cancelTimer: CancelTimer = () => undefined;
  const ended = work(signal).then(
    () => EXIT_OK,
    (failure: unknown) => {
      if (signal.aborted && failure === signal.reason) return EXIT_OK;
      logger.error("Process breaks", { failure });
      return EXIT_FAILURE;
    },
  );
  let startCounting: () => void = () => undefined;
  const overdue = new Promise<number>((resolve) => {
    startCounting = () => {
      logger.info("Process stops", { reason: signal.reason instanceof Error ? signal.reason.message : String(signal.reason) });
      cancelTimer = clock.schedule(shutdownGraceMs, () => {
        logger.error("Process gives up waiting for work in hand", { shutdownGraceMs });
        resolve(EXIT_FAILURE);
      });
    };
    if (signal.aborted) startCounting();
    else signal.addEventListener("abort", startCounting, { once: true });
  });
  try {
    return await Promise.race([ended, overdue]);
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", startCounting);
  }
}
