import { PULLING_IMAGE_BY } from "../../api/names.js";
import { type AttemptDecision, decideAttempt, type PullHistory, retryDelayMs } from "../../core/image-pull/decide-attempt.js";
import type { PullState } from "../../core/image-pull/node-image-status.js";
import { pullLimits } from "../../core/image-pull/pull-limits.js";
import { isHeldAs, pullReference, shownImageId, shownReference } from "../../core/image-pull/pull-reference.js";
import type { PullTask } from "../../core/image-pull/wanted-pulls.js";
import { parseTimestampMs, toRfc3339Seconds } from "../../core/values/timestamps.js";
import type { ImageRuntime } from "../../cri/runtime.js";
import type { Clock } from "../../lib/clock.js";
import { failureKind, failureMessage, OperationError } from "../../lib/failure.js";
import type { PullSlots } from "./pull-slots.js";

/** What one pull works with. */
export interface PullContext {
  readonly images: ImageRuntime;
  readonly clock: Clock;
  readonly slots: PullSlots;
  /** The task as the spec has it now: its limits may change while the pull goes on. */
  task(): PullTask;
  /** Told of every state but the last. */
  progress(state: PullState): void;
}

/** The value that upstream's agent puts there; registries and runtimes know it. */
const PULLED_BY = "kruise-daemon";
/** While the runtime does not answer at all, nothing is lost by looking often. */
const OUTAGE_RETRY_MS = 2_000;

/**
 * Pulls one image until it is there or its limits are used up.
 *
 * A place among the parallel pulls is held only while the runtime pulls, not while a retry waits. A runtime that does not answer costs
 * no attempt.
 * @returns the final state, Succeeded or Failed
 * @throws signal.reason when the pull was withdrawn
 */
export async function pullUntilDone(context: PullContext, signal: AbortSignal): Promise<PullState> {
  const { image, spec, startTime } = context.task();
  const reference = pullReference(image, spec.tag);
  const pull = new Pull(context, startTime);
  if (reference === undefined) return pull.failed(`"${shownReference(image, spec.tag)}" is not an image reference`);
  for (;;) {
    const end = await pull.attempt(reference, signal);
    if (end !== undefined) return end;
    await context.clock.sleep(pull.pauseMs(), signal);
  }
}

class Pull {
  readonly #context: PullContext;
  readonly #createdMs: number;
  /** Undefined until the first attempt has begun. */
  #startTime: string | undefined;
  #earlierMs = 0;
  #startedMs: number | undefined;
  #failures = 0;
  #outages = 0;
  #lastFailure: string | undefined;

  constructor(context: PullContext, startTime: string | undefined) {
    this.#context = context;
    this.#createdMs = context.clock.monotonicMs();
    const earlierMs = startTime === undefined ? undefined : parseTimestampMs(startTime);
    if (earlierMs === undefined) return;
    this.#startTime = startTime;
    this.#startedMs = this.#createdMs;
    this.#earlierMs = Math.max(0, context.clock.nowMs() - earlierMs);
  }

  /** @returns the final state, or undefined when another attempt should follow after `pauseMs` */
  async attempt(reference: string, signal: AbortSignal): Promise<PullState | undefined> {
    try {
      const held = await this.#heldImage(reference, signal);
      return held === undefined ? await this.#pullInTurn(reference, signal) : this.#succeeded(held);
    } catch (error) {
      signal.throwIfAborted();
      return await this.#afterFailure(error, reference, signal);
    }
  }

  pauseMs(): number {
    const history = this.#history();
    return this.#outages > 0 ? Math.min(OUTAGE_RETRY_MS, retryDelayMs({ ...history, failures: 2 })) : retryDelayMs(history);
  }

  failed(message: string): PullState {
    return { ...this.#ended("Failed"), message };
  }

  async #heldImage(reference: string, signal: AbortSignal): Promise<string | undefined> {
    if (this.#context.task().spec.imagePullPolicy !== "IfNotPresent") return undefined;
    const held = await this.#context.images.imageStatus(reference, signal);
    return held !== undefined && isHeldAs(held, reference) ? held.id : undefined;
  }

  async #pullInTurn(reference: string, signal: AbortSignal): Promise<PullState> {
    const giveBack = await this.#context.slots.take(signal);
    try {
      const decision = this.#decide();
      if (decision.type === "fail") return this.failed(decision.message);
      this.#begin();
      return this.#succeeded(await this.#context.images.pullImage(this.#request(reference, decision.timeoutMs), signal));
    } finally {
      giveBack();
    }
  }

  #request(reference: string, timeoutMs: number): Parameters<ImageRuntime["pullImage"]>[0] {
    const { labels, annotations } = this.#context.task().sandboxConfig ?? {};
    return { reference, timeoutMs, sandboxLabels: labels ?? {}, sandboxAnnotations: { ...annotations, [PULLING_IMAGE_BY]: PULLED_BY } };
  }

  async #afterFailure(error: unknown, reference: string, signal: AbortSignal): Promise<PullState | undefined> {
    const kind = failureKind(error);
    if (kind === undefined) throw error; // a bug, not an answer of the runtime
    this.#lastFailure = failureMessage(error);
    if (kind === "invalid" || kind === "unsupported") return this.failed(this.#lastFailure);
    if (await this.#isOutage(error, reference, signal)) this.#outages++;
    else this.#countFailure();
    const decision = this.#decide();
    if (decision.type === "fail") return this.failed(decision.message);
    this.#context.progress(this.#state());
    return undefined;
  }

  #countFailure(): void {
    this.#outages = 0;
    this.#failures++;
  }

  // A connection that broke is the runtime's restart, unless the runtime answers and breaks it again.
  async #isOutage(error: unknown, reference: string, signal: AbortSignal): Promise<boolean> {
    if (!isUnavailable(error)) return false;
    try {
      await this.#context.images.imageStatus(reference, signal);
      return this.#outages === 0;
    } catch (secondError) {
      signal.throwIfAborted();
      return isUnavailable(secondError);
    }
  }

  #begin(): void {
    const { clock } = this.#context;
    this.#startedMs ??= clock.monotonicMs();
    this.#startTime ??= toRfc3339Seconds(clock.nowMs());
    this.#context.progress(this.#state());
  }

  #state(): PullState {
    const message = this.#lastFailure === undefined ? {} : { message: this.#lastFailure };
    return this.#startTime === undefined ? { phase: "Waiting", ...message } : { phase: "Pulling", startTime: this.#startTime, ...message };
  }

  #succeeded(imageRef: string): PullState {
    return { ...this.#ended("Succeeded"), imageID: shownImageId(this.#context.task().image, imageRef) };
  }

  #ended(phase: "Succeeded" | "Failed"): PullState {
    const now = toRfc3339Seconds(this.#context.clock.nowMs());
    return { phase, startTime: this.#startTime ?? now, completionTime: now };
  }

  #decide(): AttemptDecision {
    return decideAttempt(this.#history());
  }

  #history(): PullHistory {
    const elapsedMs = this.#startedMs === undefined ? 0 : this.#earlierMs + this.#context.clock.monotonicMs() - this.#startedMs;
    const lastFailure = this.#lastFailure === undefined ? {} : { lastFailure: this.#lastFailure };
    return { limits: pullLimits(this.#context.task().spec.pullPolicy), failures: this.#failures, elapsedMs, ...lastFailure };
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof OperationError && error.code === "CRI_UNAVAILABLE";
}
