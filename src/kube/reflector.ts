import type { KubeObject, ObjectMeta, Resource } from "../api/meta.js";
import { backoffDelayMs } from "../lib/backoff.js";
import type { Clock } from "../lib/clock.js";
import { failureKind, OperationError } from "../lib/failure.js";
import type { Logger } from "../lib/logger.js";
import type { Counter, MetricLabels, Metrics } from "../lib/metrics.js";
import type { Random } from "../lib/random.js";
import type { KubeClient, ListOptions, WatchEvent } from "./client.js";
import { failureFields } from "./failure-fields.js";
import { oldList } from "./failures.js";
import { Gate } from "./gate.js";
import type { Informer } from "./informer.js";
import { ObjectStore } from "./object-store.js";
import { compareResourceVersions } from "./resource-version.js";
import type { Indexer, StoreChange, StoreReader } from "./store.js";

export interface InformerOptions<T extends KubeObject> {
  readonly resource: Resource;
  readonly client: KubeClient;
  /** Which objects; default: all. */
  readonly list?: ListOptions;
  readonly indexers?: Readonly<Record<string, Indexer<T>>>;
  /** Cuts an object down to the fields that readers need, to save memory. managedFields are dropped in any case. */
  readonly project?: (raw: T) => T;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** An informer that also says how it is, for the readiness check. */
export interface ObservedInformer<T extends KubeObject> extends Informer<T> {
  /** Why the last list or watch failed; undefined while all is well. */
  lastFailure(): unknown;
}

/** Between tries after a failure, or after a watch that ended at once. Source: client-go's reflector. */
const BACKOFF = { initialMs: 800, maxMs: 10_000, jitter: 0.5 };
/** A kind that is not installed, or that we may not read, is asked for less often. */
const SLOW_RETRY_MS = 10_000;
/** A watch that lived this long was healthy: the next failure counts as the first. */
const HEALTHY_MS = 60_000;
/** While it keeps failing, say so this often. */
const REPEAT_LOG_MS = 60_000;
/** A list older than what was seen is believed when the server insists this often. */
const MAX_OLD_LISTS = 5;
const MIN_WATCH_SECONDS = 300;

/** A kind's cache, kept current by list and watch. Does nothing until `run`. */
export function createInformer<T extends KubeObject>(options: InformerOptions<T>): ObservedInformer<T> {
  return new Reflector(options);
}

/** Turns: list -> watch -> watch ... until the server has forgotten our place (410) -> list ... A failure only delays the next turn. */
class Reflector<T extends KubeObject> implements ObservedInformer<T> {
  readonly name: string;
  readonly #options: InformerOptions<T>;
  readonly #logger: Logger;
  readonly #store: ObjectStore<T>;
  readonly #handlers: ((change: StoreChange<T>) => void)[] = [];
  readonly #synced = new Gate();
  readonly #counters: ReflectorCounters;
  #mustList = true;
  #isFollowing = false;
  #watchFrom = "";
  #oldLists = 0;
  #failures = 0;
  #lastFailure: unknown;
  #lastLogMs = Number.NEGATIVE_INFINITY;

  constructor(options: InformerOptions<T>) {
    this.name = `informer/${options.resource.plural}`;
    this.#options = options;
    this.#logger = options.logger.child({ component: "kube/reflector", resource: options.resource.plural });
    this.#store = new ObjectStore(options.indexers);
    this.#counters = reflectorCounters(options.metrics, options.resource.plural);
  }

  get store(): StoreReader<T> {
    return this.#store;
  }

  onChange(handler: (change: StoreChange<T>) => void): void {
    this.#handlers.push(handler);
  }

  applyWrite(object: T): void {
    this.#tell(this.#store.applyWrite(this.#entry(object)));
  }

  applyMissing(object: T): void {
    this.#tell(this.#store.applyMissing(object));
  }

  isFollowing(): boolean {
    return this.#isFollowing;
  }

  waitForSync(signal: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  lastFailure(): unknown {
    return this.#lastFailure;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const startMs = clock.monotonicMs();
      const failure = await this.#turn(signal);
      const livedMs = clock.monotonicMs() - startMs;
      const delayMs = this.#afterTurn(failure, livedMs);
      if (delayMs === 0) continue;
      this.#isFollowing = false;
      await clock.sleep(delayMs, signal);
    }
  }

  /** One watch, after a list if need be. @returns why it ended, undefined if the server ended it in good order */
  async #turn(signal: AbortSignal): Promise<unknown> {
    try {
      if (this.#mustList) await this.#list(signal);
      await this.#watch(signal);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      return error;
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, resource, list = {} } = this.#options;
    this.#counters.lists.increment(this.#counters.labels);
    const project = (item: KubeObject): KubeObject => this.#entry(item as T);
    const { items, resourceVersion } = await client.list<T>(resource, { ...list, project }, signal);
    if (compareResourceVersions(resourceVersion, this.#store.seenResourceVersion()) >= 0) {
      this.#tell(this.#store.applyList(items, resourceVersion));
    } else if (++this.#oldLists < MAX_OLD_LISTS) {
      throw oldList({ verb: "list", subject: resource.plural }, resourceVersion, this.#store.seenResourceVersion());
    } else {
      this.#tell(this.#store.reset(items, resourceVersion));
    }
    this.#oldLists = 0;
    this.#mustList = false;
    this.#watchFrom = resourceVersion;
    this.#lastFailure = undefined;
    this.#isFollowing = true;
    this.#synced.open();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, resource, list = {}, random } = this.#options;
    this.#counters.watches.increment(this.#counters.labels);
    const timeoutSeconds = Math.floor(MIN_WATCH_SECONDS * (1 + random.next())); // spread, so that not all agents come back at once
    const onOpen = (): void => {
      this.#lastFailure = undefined;
      this.#isFollowing = true;
    };
    const watch = client.watch<T>(resource, { ...list, resourceVersion: this.#watchFrom, timeoutSeconds, onOpen }, signal);
    for await (const event of watch) this.#apply(event);
  }

  #apply(event: WatchEvent<T>): void {
    const { type, object } = event;
    this.#watchFrom = object.metadata.resourceVersion ?? this.#watchFrom;
    if (type === "BOOKMARK") this.#store.advance(this.#watchFrom);
    else if (type === "DELETED") this.#tell(this.#store.applyDeletion(object));
    else this.#tell(this.#store.applyEvent(this.#entry(object)));
  }

  /** Notes how a turn went. @returns how long to wait before the next one, in milliseconds */
  #afterTurn(failure: unknown, livedMs: number): number {
    const { random } = this.#options;
    const wasHealthy = livedMs >= HEALTHY_MS;
    if (wasHealthy) this.#failures = 0;
    if (failure === undefined && wasHealthy) return 0;
    this.#failures++;
    const backoffMs = backoffDelayMs(BACKOFF, this.#failures, random);
    if (failure === undefined) {
      this.#counters.shortWatches.increment(this.#counters.labels);
      return backoffMs;
    }
    if (hasCode(failure, "KUBE_GONE")) {
      this.#mustList = true;
      return this.#failures === 1 ? 0 : backoffMs;
    }
    // An event that cannot be read would come again from the same place for ever; a list gets past it.
    if (hasCode(failure, "KUBE_BAD_REPLY")) this.#mustList = true;
    this.#report(failure);
    return delayAfter(failure, backoffMs);
  }

  #report(failure: unknown): void {
    const { clock } = this.#options;
    this.#lastFailure = failure;
    this.#counters.failures.increment({ ...this.#counters.labels, kind: failureKind(failure) ?? "bug" });
    if (this.#failures > 1 && clock.monotonicMs() - this.#lastLogMs < REPEAT_LOG_MS) return;
    this.#lastLogMs = clock.monotonicMs();
    this.#logger.warn("Cache cannot follow the API server", { attempt: this.#failures, ...failureFields(failure) });
  }

  #entry(raw: T): T {
    const { project } = this.#options;
    const slim = withoutManagedFields(raw);
    return project === undefined ? slim : project(slim);
  }

  #tell(changes: readonly StoreChange<T>[]): void {
    for (const change of changes) for (const handler of this.#handlers) this.#callHandler(handler, change);
  }

  #callHandler(handler: (change: StoreChange<T>) => void, change: StoreChange<T>): void {
    try {
      handler(change);
    } catch (error) {
      // A handler's bug must not stop the cache, nor keep the change from the other handlers.
      this.#logger.error("Change handler fails", { key: change.key, ...failureFields(error) });
    }
  }
}

interface ReflectorCounters {
  readonly labels: MetricLabels;
  readonly lists: Counter;
  readonly watches: Counter;
  readonly shortWatches: Counter;
  readonly failures: Counter;
}

function reflectorCounters(metrics: Metrics, resource: string): ReflectorCounters {
  const labels = { resource };
  const counter = (name: string, help: string): Counter => metrics.counter({ name, help, labels: ["resource"], zero: [labels] });
  return {
    labels,
    lists: counter("reflector_lists_total", "Complete lists that caches asked for"),
    watches: counter("reflector_watches_total", "Watches that caches opened"),
    shortWatches: counter("reflector_short_watches_total", "Watches that ended in good order within a minute"),
    failures: metrics.counter({
      name: "reflector_failures_total",
      help: "Lists and watches that failed",
      labels: ["resource", "kind"],
      zero: [{ ...labels, kind: "transient" }],
    }),
  };
}

function hasCode(failure: unknown, code: string): boolean {
  return failure instanceof OperationError && failure.code === code;
}

function delayAfter(failure: unknown, backoffMs: number): number {
  const kind = failureKind(failure);
  if (kind === "unsupported" || kind === "denied") return SLOW_RETRY_MS;
  const askedMs = failure instanceof OperationError ? failure.retryAfterMs : undefined;
  return Math.max(askedMs ?? 0, backoffMs);
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!("managedFields" in object.metadata)) return object;
  const metadata: ObjectMeta & { managedFields?: unknown } = { ...object.metadata };
  delete metadata.managedFields;
  return { ...object, metadata };
}
