import type { KubeObject, ObjectReference } from "../api/meta.js";
import { EVENTS } from "../api/resources.js";
import type { Clock } from "../lib/clock.js";
import { failureKind } from "../lib/failure.js";
import type { Logger } from "../lib/logger.js";
import type { Counter, Metrics } from "../lib/metrics.js";
import type { Random } from "../lib/random.js";
import type { Task } from "../lib/tasks.js";
import { BoundedMap } from "./bounded-map.js";
import type { KubeClient } from "./client.js";
import { countPatch, type EventSource, newEvent, type RepeatedFact } from "./event-object.js";
import { failureFields } from "./failure-fields.js";
import { isAlreadyExists } from "./failures.js";
import { TokenBucket } from "./token-bucket.js";
import { WorkQueue } from "./work-queue.js";

/** One fact for the user, shown by `kubectl describe` on the object it is about. */
export interface EventFact {
  readonly regarding: ObjectReference;
  readonly type: "Normal" | "Warning";
  /** CamelCase, stable, documented in docs/events.md. */
  readonly reason: string;
  readonly message: string;
  /** Who says so, such as `cloneset-controller`; default: the recorder's own. */
  readonly component?: string;
}

/** Records events in the background; equal facts are counted on one Event object. Never throws, never blocks a reconcile. */
export interface EventRecorder {
  record(fact: EventFact): void;
}

/** A recorder that speaks for one component. */
export function recorderFor(recorder: EventRecorder, component: string): EventRecorder {
  return { record: (fact) => recorder.record({ component, ...fact }) };
}

export interface EventRecorderOptions extends EventSource {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Facts remembered for counting, and objects remembered for the limit. */
const MAX_REMEMBERED = 4_096;
const MAX_WAITING = 1_000;
const MAX_TRIES = 4;
/** Events about one object: so many at once, then one in five minutes. Source: client-go's EventSourceObjectSpamFilter. */
const SPAM_LIMIT = { burst: 25, perSecond: 1 / 300 };
const BACKOFF = { initialMs: 500, maxMs: 30_000, jitter: 0.5 };

/**
 * Writes events to the API server while its `run` goes on. What it cannot write after a few tries, or what is too much, is dropped and
 * counted. Events about cluster-scoped objects go to namespace `default`.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder & Task {
  return new BackgroundRecorder(options);
}

class BackgroundRecorder implements EventRecorder, Task {
  readonly name = "event-recorder";
  readonly #options: EventRecorderOptions;
  readonly #logger: Logger;
  readonly #facts = new BoundedMap<string, RepeatedFact>(MAX_REMEMBERED);
  readonly #limits = new BoundedMap<string, TokenBucket>(MAX_REMEMBERED);
  readonly #queue: WorkQueue;
  readonly #dropped: Counter;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#logger = options.logger.child({ component: "kube/event-recorder" });
    this.#queue = new WorkQueue({ ...options, name: "events", backoff: BACKOFF });
    this.#dropped = options.metrics.counter({
      name: "podmend_events_dropped_total",
      help: "Events that were not written: too many about one object (spam), too many waiting (full), or refused (failed)",
      labels: ["reason"],
      zero: [{ reason: "spam" }, { reason: "full" }, { reason: "failed" }],
    });
  }

  record(fact: EventFact): void {
    const { clock, random, component } = this.#options;
    const whole = { ...fact, component: fact.component ?? component };
    const key = keyOfFact(whole);
    if (!this.#limitFor(whole).tryTake()) {
      this.#dropped.increment({ reason: "spam" });
      return;
    }
    if (this.#queue.depth() >= MAX_WAITING) {
      this.#dropped.increment({ reason: "full" });
      return;
    }
    const nowMs = clock.nowMs();
    const repeated = this.#facts.get(key) ?? {
      fact: whole,
      suffix: random.hex(16),
      firstMs: nowMs,
      lastMs: nowMs,
      count: 0,
      isWritten: false,
    };
    this.#facts.set(key, { ...repeated, count: repeated.count + 1, lastMs: nowMs });
    this.#queue.add(key);
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const key = await this.#queue.get(signal);
        await this.#process(key, signal).finally(() => this.#queue.done(key));
      }
    } finally {
      this.#queue.close();
    }
  }

  async #process(key: string, signal: AbortSignal): Promise<void> {
    const repeated = this.#facts.get(key);
    if (repeated === undefined) return;
    try {
      await this.#write(repeated, signal);
      const latest = this.#facts.get(key) ?? repeated; // may have been counted up meanwhile
      this.#facts.set(key, { ...latest, isWritten: true });
      this.#queue.forget(key);
    } catch (error) {
      signal.throwIfAborted();
      this.#afterFailure(key, repeated, error);
    }
  }

  async #write(repeated: RepeatedFact, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    if (!repeated.isWritten) {
      const isNew = await client.create<KubeObject>(EVENTS, newEvent(repeated, this.#options), signal).then(() => true, ifNameIsTaken);
      if (isNew) return;
    }
    await client.patch(EVENTS, countPatch(repeated), signal);
  }

  #afterFailure(key: string, repeated: RepeatedFact, error: unknown): void {
    if (repeated.isWritten && failureKind(error) === "missing") {
      // The API server deletes events after an hour; start a new one.
      const { clock, random } = this.#options;
      const nowMs = clock.nowMs();
      this.#facts.set(key, { ...repeated, suffix: random.hex(16), count: 1, firstMs: nowMs, lastMs: nowMs, isWritten: false });
      this.#queue.add(key);
      return;
    }
    if (failureKind(error) === "transient" && this.#queue.failures(key) < MAX_TRIES) {
      this.#queue.addRateLimited(key);
      return;
    }
    this.#queue.forget(key); // the fact stays: a lost try may have been written, and whatever comes later counts on that Event
    this.#dropped.increment({ reason: "failed" });
    // Missing: the namespace is gone or going, and with it whoever would have read the event.
    const level = failureKind(error) === "missing" ? "debug" : "warn";
    this.#logger[level]("Event is dropped", { reason: repeated.fact.reason, ...failureFields(error) });
  }

  #limitFor({ regarding, component }: EventFact): TokenBucket {
    const key = JSON.stringify([component, regarding.kind, regarding.namespace, regarding.name, regarding.uid]);
    const limit = this.#limits.get(key) ?? new TokenBucket({ ...SPAM_LIMIT, clock: this.#options.clock });
    this.#limits.set(key, limit);
    return limit;
  }
}

/** Nobody else makes such a name: an earlier try was written, and its answer lost. */
function ifNameIsTaken(error: unknown): false {
  if (isAlreadyExists(error)) return false;
  throw error;
}

function keyOfFact({ regarding, type, reason, message, component }: EventFact): string {
  const { kind, namespace, name, uid, fieldPath } = regarding;
  return JSON.stringify([component, kind, namespace, name, uid, fieldPath, type, reason, message]);
}
