import type { CancelTimer, Clock } from "../../lib/clock.js";
import type { Database } from "./database.js";
import { type JsonObject, valueAt } from "./json.js";
import type { ServedKind } from "./served-kinds.js";
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

interface UnderWay {
  readonly revision: number;
  readonly dueMs: number;
}

/**
 * How far one server front is behind the database, kind by kind, as its caches are: what has not got here yet, none of its watches tells and none of
 * its cached lists shows. Changes of one kind arrive in their order, each once for the whole front.
 */
export class ServerLag {
  readonly #options: ServerLagOptions;
  readonly #underWay = new Map<string, UnderWay[]>();
  readonly #unsubscribe: () => void;

  constructor(options: ServerLagOptions) {
    this.#options = options;
    const { database, clock, lagMs } = options;
    this.#unsubscribe = database.subscribe(({ revision, kind }) => {
      const changes = this.#changesOf(kind);
      const dueMs = Math.max(changes.at(-1)?.dueMs ?? Number.NEGATIVE_INFINITY, clock.monotonicMs() + lagMs());
      changes.push({ revision, dueMs });
    });
  }

  /** The newest revision of which all changes of a kind have got here. */
  arrivedRevision(kind: ServedKind): number {
    const [next] = this.#changesOf(kind);
    return next === undefined ? this.#options.database.revision() : next.revision - 1;
  }

  /** A sink that passes everything on when it has got here, in its order: no bookmark overtakes an event. `cancel` drops what is still under way. */
  delayed(sink: WatchSink, kind: ServedKind): { readonly sink: WatchSink; readonly cancel: () => void } {
    const queue = new DelayedActs(this.#options.clock);
    return {
      sink: {
        event: (event, text) => queue.add({ dueMs: this.#dueMs(event, kind), act: () => sink.event(event, text) }),
        end: () => queue.add({ dueMs: Number.NEGATIVE_INFINITY, act: () => sink.end() }),
      },
      cancel: () => queue.cancel(),
    };
  }

  close(): void {
    this.#unsubscribe();
  }

  /** When the last change of a kind gets here that an event knows of. */
  #dueMs(event: JsonObject, kind: ServedKind): number {
    const revision = Number(valueAt(event, "object.metadata.resourceVersion") ?? 0);
    const known = this.#changesOf(kind).filter((change) => change.revision <= revision);
    return known.at(-1)?.dueMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Those that are still under way, in their order. */
  #changesOf({ group, plural }: ServedKind): UnderWay[] {
    const name = `${group}/${plural}`;
    const changes = this.#underWay.get(name) ?? [];
    const nowMs = this.#options.clock.monotonicMs();
    while ((changes[0]?.dueMs ?? Number.POSITIVE_INFINITY) <= nowMs) changes.shift();
    this.#underWay.set(name, changes);
    return changes;
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
