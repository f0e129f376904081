import { remainingGraceSeconds, type PreStopHandler } from "../../core/container-restart/pre-stop.js";
import { backoffDelayMs } from "../../lib/backoff.js";
import type { Task } from "../../lib/tasks.js";
import type { AgentDependencies } from "../dependencies.js";
import type { CalledStops } from "./called-stops.js";
import { runPreStop } from "./pre-stop.js";
import type { RestartEvents } from "./restart-events.js";
import type { StatusWriter } from "./status-writer.js";
import { YoungStops } from "./young-stops.js";

/** One instance to be stopped on behalf of one request. */
export interface StopOrder {
  readonly podUid: string;
  /** "namespace/name", for people. */
  readonly pod: string;
  readonly id: string;
  readonly container: string;
  readonly instanceId: string;
  readonly graceSeconds: number;
  readonly preStop: PreStopHandler | undefined;
}

/** How a stop ended; `failure` when the runtime refused, or did not answer. */
export interface StopEnd {
  readonly order: StopOrder;
  readonly failure: unknown;
}

export interface StopRunnerParts {
  readonly writer: StatusWriter;
  readonly events: RestartEvents;
  readonly calledStops: CalledStops;
}

interface Attempts {
  readonly count: number;
  /** No further call before this. */
  readonly notBeforeMs: number;
}

const BACKOFF = { initialMs: 100, maxMs: 5_000 };

/**
 * Carries out stops in the background, each request's at most once at a time.
 *
 * Whether a stop is still needed is never decided here: when one has ended, `onEnd` makes the reconciler look at the container.
 */
export class StopRunner implements Task {
  readonly name = "container-restart/stops";
  readonly #deps: AgentDependencies;
  readonly #writer: StatusWriter;
  readonly #events: RestartEvents;
  readonly #calledStops: CalledStops;
  readonly #young: YoungStops;
  readonly #running = new Map<string, { readonly withdraw: AbortController; readonly ended: Promise<void> }>();
  readonly #attempts = new Map<string, Attempts>();
  #signal: AbortSignal | undefined;
  onEnd: (end: StopEnd) => void = () => undefined;

  constructor(deps: AgentDependencies, { writer, events, calledStops }: StopRunnerParts) {
    this.#deps = deps;
    this.#writer = writer;
    this.#events = events;
    this.#calledStops = calledStops;
    this.#young = new YoungStops((deps.cpuCount ?? DEFAULT_CPU_COUNT) * STOPS_PER_CPU, deps.clock);
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Starts the stop, unless an earlier one for the request has just failed. @returns milliseconds to wait before trying again, 0 if started */
  start(order: StopOrder): number {
    const signal = this.#signal;
    const waitMs = (this.#attempts.get(order.id)?.notBeforeMs ?? 0) - this.#deps.clock.monotonicMs();
    if (signal === undefined || signal.aborted || this.#running.has(order.id)) return 0;
    if (waitMs > 0) return waitMs;
    const withdraw = new AbortController();
    const ended = this.#carryOut(order, AbortSignal.any([signal, withdraw.signal]));
    this.#running.set(order.id, { withdraw, ended });
    return 0;
  }

  /** Cancels what a request has not achieved yet, and forgets it. */
  withdraw(id: string): void {
    this.#running.get(id)?.withdraw.abort(new Error("The request was withdrawn"));
    this.#attempts.delete(id);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #carryOut(order: StopOrder, signal: AbortSignal): Promise<void> {
    let failure: unknown;
    try {
      await this.#stop(order, signal);
    } catch (error) {
      failure = error;
    }
    this.#running.delete(order.id);
    if (signal.aborted) return;
    this.#noteAttempt(order.id);
    if (failure === undefined) this.#events.stopped(order);
    else this.#events.stopFailed(order, failure);
    this.onEnd({ order, failure });
  }

  async #stop(order: StopOrder, signal: AbortSignal): Promise<void> {
    const { clock, runtime } = this.#deps;
    const startMs = clock.monotonicMs();
    await this.#runPreStop(order, signal);
    const graceSeconds = remainingGraceSeconds(order.graceSeconds, clock.monotonicMs() - startMs);
    await this.#young.run(() => {
      this.#calledStops.note(order.instanceId, graceSeconds);
      return runtime.stopContainer({ id: order.instanceId, graceSeconds }, signal);
    }, signal);
  }

  async #runPreStop(order: StopOrder, signal: AbortSignal): Promise<void> {
    if (order.preStop === undefined) return;
    // Written first: after a crash from here on, preStop may have run, and is not run again.
    if ((await this.#writer.recordStopping(order, signal)) === "already") return;
    const { instanceId, graceSeconds } = order;
    const problem = await runPreStop(this.#deps, { instanceId, handler: order.preStop, graceSeconds }, signal);
    if (problem !== undefined) this.#events.preStopFailed(order, problem);
  }

  // Counted for stops that succeed too: one that the runtime calls done although the container runs on is repeated no faster.
  #noteAttempt(id: string): void {
    const count = (this.#attempts.get(id)?.count ?? 0) + 1;
    const delayMs = backoffDelayMs(BACKOFF, count, this.#deps.random);
    this.#attempts.set(id, { count, notBeforeMs: this.#deps.clock.monotonicMs() + delayMs });
  }
}

const STOPS_PER_CPU = 4;
const DEFAULT_CPU_COUNT = 2;
