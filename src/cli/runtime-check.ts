import type { ContainerRuntime } from "../cri/runtime.js";
import type { Clock } from "../lib/clock.js";
import { failureMessage } from "../lib/failure.js";
import type { Logger } from "../lib/logger.js";
import type { Task } from "../lib/tasks.js";
import type { ReadinessCheck } from "../observe/health-server.js";

const PERIOD_MS = 10_000;
const RETRY_MS = 1_000;

export interface RuntimeCheckOptions {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Asks the runtime for its version now and then, and says when its answer changes. It only reports; calls find the runtime again by themselves. */
export class RuntimeCheck implements Task, ReadinessCheck {
  readonly name = "runtime";
  readonly #options: RuntimeCheckOptions;
  #problem: string | undefined = "not asked yet";

  constructor(options: RuntimeCheckOptions) {
    this.#options = options;
  }

  problem(): string | undefined {
    return this.#problem;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#ask(signal);
      await this.#options.clock.sleep(this.#problem === undefined ? PERIOD_MS : RETRY_MS, signal);
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { runtime, logger } = this.#options;
    try {
      const version = await runtime.version(signal);
      if (this.#problem !== undefined) logger.info("Runtime check passes", { ...version });
      this.#problem = undefined;
    } catch (failure) {
      signal.throwIfAborted();
      const problem = failureMessage(failure);
      if (this.#problem !== problem) logger.warn("Runtime check fails", { failure });
      this.#problem = problem;
    }
  }
}
