import type { CancelTimer, Clock } from "../../lib/clock.js";
import type { Database } from "./database.js";
import { isObject, type JsonObject, valueAt } from "./json.js";
import type { WatchSink } from "./watch-stream.js";

export interface ServerLagOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** How long the next change takes to get here. */
  readonly lagMs: () => number;
}

interface Pending {
  readonly dueMs: number;
  readonly act: () => void;
}

/**
 * How far one server front is behind the database: what has not got here yet, none of its watches tells and none of its cached lists shows.
 * Changes arrive in their order, each once for the whole front.
 */
export class ServerLag {
  readonly #clock: Clock;
  readonly #underWay: { readonly revision: number; readonly dueMs: number }[] = [];
  readonly #unsubscribe: () => void;
  #lastDueMs = Number.NEGATIVE_INFINITY;
  #arrived: number;

  constructor({ database, clock, lagMs }: ServerLagOptions) {
    this.#clock = clock;
    this.#arrived = database.revision();
    this.#unsubscribe = database.subscribe(({ revision }) => {
      this.#lastDueMs = Math.max(this.#lastDueMs, clock.monotonicMs() + lagMs());
      this.#underWay.push({ revision, dueMs: this.#lastDueMs });
    });
  }

  /** The newest revision that has got here. */
  arrivedRevision(): number {
    const nowMs = this.#clock.monotonicMs();
    while ((this.#underWay[0]?.dueMs ?? Number.POSITIVE_INFINITY) <= nowMs)
      this.#arrived = this.#underWay.shift()?.revision ?? this.#arrived;
    return this.#arrived;
  }

  /** A sink that passes everything on when it has got here, in its order: no bookmark overtakes an event. `cancel` drops what is still under way. */
  delayed(sink: WatchSink): { readonly sink: WatchSink; readonly cancel: () => void } {
    const queue = new DelayedActs(this.#clock);
    return {
      sink: {
        event: (event, text) => queue.add({ dueMs: this.#dueMs(event), act: () => sink.event(event, text) }),
        end: () => queue.add({ dueMs: Number.NEGATIVE_INFINITY, act: () => sink.end() }),
      },
      cancel: () => queue.cancel(),
    };
  }

  close(): void {
    this.#unsubscribe();
  }

  /** Initial events are of revisions that have long arrived, or not; both is right. */
  #dueMs(event: JsonObject): number {
    const revision = isObject(event["object"]) ? Number(valueAt(event["object"], "metadata.resourceVersion") ?? 0) : 0;
    if (revision <= this.arrivedRevision()) return Number.NEGATIVE_INFINITY;
    return this.#underWay.find((change) => change.revision >= revision)?.dueMs ?? Number.NEGATIVE_INFINITY;
  }
}

/** Does things one after the other, none before its time. */
class DelayedActs {
  readonly #clock: Clock;
  readonly #queue: Pending[] = [];
  #timer: CancelTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(pending: Pending): void {
    this.#queue.push(pending);
    if (this.#queue.length === 1) this.#work();
  }

  cancel(): void {
    this.#queue.length = 0;
    this.#timer?.();
  }

  #work(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const waitMs = next.dueMs - this.#clock.monotonicMs();
      if (waitMs > 0) {
        this.#timer = this.#clock.schedule(waitMs, () => this.#work());
        return;
      }
      next.act();
      // Only now: whoever adds meanwhile must not do the same work.
      this.#queue.shift();
    }
  }
}
