import type { PullState } from "../../core/image-pull/node-image-status.js";
import type { PullTask } from "../../core/image-pull/wanted-pulls.js";
import { toRfc3339Seconds } from "../../core/values/timestamps.js";
import type { ImageRuntime } from "../../cri/runtime.js";
import type { Clock } from "../../lib/clock.js";
import { failureMessage } from "../../lib/failure.js";
import type { Task } from "../../lib/tasks.js";
import { pullUntilDone } from "./pull.js";
import { PullSlots } from "./pull-slots.js";

export interface PullerOptions {
  readonly images: ImageRuntime;
  readonly clock: Clock;
  /** See `PullSlots`. */
  readonly maxParallelPulls: number | undefined;
}

/** One pull that has ended by itself. */
export interface PullEnd {
  readonly task: PullTask;
  readonly state: PullState;
  readonly durationMs: number;
  /** The throw of a bug of ours, if that ended it. */
  readonly bug?: unknown;
}

interface RunningPull {
  task: PullTask;
  state: PullState;
  readonly abort: AbortController;
}

/**
 * The pulls that go on in this process. They begin and end by `sync` alone; nothing here outlives the process.
 *
 * An ended pull is remembered, so that it is not begun again, until `sync` no longer asks for it.
 */
export class Puller implements Task {
  readonly name = "image-pull/puller";
  readonly #options: PullerOptions;
  readonly #slots: PullSlots;
  readonly #pulls = new Map<string, RunningPull>();
  readonly #running = new Set<Promise<void>>();
  readonly #changeHandlers: (() => void)[] = [];
  readonly #endHandlers: ((end: PullEnd) => void)[] = [];
  #isStopped = false;

  constructor(options: PullerOptions) {
    this.#options = options;
    this.#slots = new PullSlots(options.maxParallelPulls);
  }

  /** Called after any pull changed its state. */
  onChange(handler: () => void): void {
    this.#changeHandlers.push(handler);
  }

  /** Called when a pull ended by itself, before `onChange`. */
  onEnd(handler: (end: PullEnd) => void): void {
    this.#endHandlers.push(handler);
  }

  /** Makes the given pulls, and no others, go on: begins new ones, withdraws the rest, hands changed limits to those that run. */
  sync(tasks: readonly PullTask[]): void {
    if (this.#isStopped) return;
    const wanted = new Set(tasks.map(({ id }) => id));
    for (const [id, pull] of this.#pulls) if (!wanted.has(id)) this.#withdraw(id, pull);
    for (const task of tasks) {
      const known = this.#pulls.get(task.id);
      if (known === undefined) this.#begin(task);
      else known.task = task;
    }
  }

  /** How each pull of the last `sync` stands, by `PullTask.id`. */
  states(): ReadonlyMap<string, PullState> {
    return new Map([...this.#pulls].map(([id, { state }]) => [id, state]));
  }

  /** Waits for the end of the process, then cancels what still goes on; the next agent resumes it. */
  async run(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#isStopped = true;
    for (const [id, pull] of this.#pulls) this.#withdraw(id, pull);
    await Promise.all(this.#running);
  }

  #withdraw(id: string, pull: RunningPull): void {
    this.#pulls.delete(id);
    pull.abort.abort(new Error("the pull is no longer wanted"));
  }

  #begin(task: PullTask): void {
    const state: PullState = task.startTime === undefined ? { phase: "Waiting" } : { phase: "Pulling", startTime: task.startTime };
    const pull: RunningPull = { task, state, abort: new AbortController() };
    this.#pulls.set(task.id, pull);
    const running = this.#run(pull).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(pull: RunningPull): Promise<void> {
    const { clock, images } = this.#options;
    const beganMs = clock.monotonicMs();
    const { signal } = pull.abort;
    const context = {
      images,
      clock,
      slots: this.#slots,
      task: () => pull.task,
      progress: (state: PullState) => this.#advance(pull, state),
    };
    let state: PullState;
    let bug: { readonly bug?: unknown } = {};
    try {
      state = await pullUntilDone(context, signal);
    } catch (error) {
      if (signal.aborted) return;
      bug = { bug: error };
      const now = toRfc3339Seconds(clock.nowMs());
      state = { phase: "Failed", startTime: pull.state.startTime ?? now, completionTime: now, message: failureMessage(error) };
    }
    if (signal.aborted) return; // it ended just when it was withdrawn
    for (const handler of this.#endHandlers) handler({ task: pull.task, state, durationMs: clock.monotonicMs() - beganMs, ...bug });
    this.#advance(pull, state);
  }

  #advance(pull: RunningPull, state: PullState): void {
    if (pull.abort.signal.aborted) return;
    pull.state = state;
    for (const handler of this.#changeHandlers) handler();
  }
}
