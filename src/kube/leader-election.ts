import { LEASES } from "../api/resources.js";
import type { Clock } from "../lib/clock.js";
import { failureKind } from "../lib/failure.js";
import type { Logger } from "../lib/logger.js";
import type { Gauge, Metrics } from "../lib/metrics.js";
import type { Random } from "../lib/random.js";
import type { KubeClient } from "./client.js";
import { startDeadline } from "./deadline.js";
import { fromThrown } from "./failures.js";
import { failureFields } from "./failure-fields.js";
import { type Claim, claimedSpec, type Lease, releasedSpec } from "./lease-record.js";

/** lease > renew deadline > retry period, each with room for a slow request. */
export interface LeaseTimings {
  /** Others may take the lease when they saw no renewal for this long. */
  readonly leaseMs: number;
  /** A leader that could not renew for this long steps down. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export interface LeaderElectorOptions {
  readonly client: KubeClient;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Unlike any other contender's, also after a restart of this process. */
  readonly identity: string;
  /** Default: 15 s, 10 s and 2 s, as the control plane's own. */
  readonly timings?: LeaseTimings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Lets one of several processes work at a time. */
export interface LeaderElector {
  /** True while this process holds the lease and renewed it in time. */
  isLeader(): boolean;
  /** Why nobody can tell who leads: the last try to read or claim the lease failed, or there was none yet. Undefined when all is well. */
  lastFailure(): unknown;
  /**
   * Waits for the lease, then runs `lead` and renews; on abort, waits for `lead` to end and gives the lease back.
   *
   * @throws {LeaseLost} when the lease could not be renewed in time; `lead` has ended then, and the process should exit
   */
  run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** Another process may lead from now on. */
export class LeaseLost extends Error {
  constructor(name: string, state: string) {
    super(`Cannot go on as leader by lease "${name}": ${state}`);
    this.name = "LeaseLost";
  }
}

const DEFAULT_TIMINGS: LeaseTimings = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
/** Contenders spread their tries. Source: client-go's JitterFactor. */
const JITTER = 1.2;
const RELEASE_TIMEOUT_MS = 5_000;
const MAX_RELEASE_TRIES = 3;

/**
 * Leader election by Lease, after client-go: whether a lease has run out is decided by when this process saw it change, never by the times
 * in it, since clocks differ.
 */
export function createLeaderElector(options: LeaderElectorOptions): LeaderElector {
  return new LeaseElector(options);
}

/** What this process last saw of the lease. */
interface Observation {
  readonly lease: Lease;
  readonly seenAtMs: number;
}

class LeaseElector implements LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #timings: LeaseTimings;
  readonly #logger: Logger;
  readonly #status: Gauge;
  #observed: Observation | undefined;
  /** When the last successful renewal was sent. */
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #isHolder = false;
  /** After a failure nobody knows what the lease looks like. */
  #mustRead = false;
  #lastFailure: unknown = new Error("not asked for yet");

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#timings = options.timings ?? DEFAULT_TIMINGS;
    this.#logger = options.logger.child({ component: "kube/leader-election", lease: options.lease.name, identity: options.identity });
    this.#status = options.metrics.gauge({
      name: "leader_election_master_status",
      help: "1 while this process leads by the lease of that name",
      labels: ["name"],
    });
    this.#status.set(0, { name: options.lease.name });
  }

  isLeader(): boolean {
    return this.#isHolder && this.#leftMs() > 0;
  }

  lastFailure(): unknown {
    return this.#lastFailure;
  }

  async run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    await this.#acquire(signal);
    this.#setHolder(true);
    const term = new AbortController();
    const stop = (): void => term.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      await endTogether(term, [lead(term.signal), this.#renewUntilLost(term.signal)]);
    } finally {
      signal.removeEventListener("abort", stop);
      const isOurs = this.isLeader();
      this.#setHolder(false);
      if (isOurs) await this.#release();
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    this.#logger.info("Leadership is waited for");
    while (!(await this.#tryClaim(this.#timings.renewDeadlineMs, signal)))
      await clock.sleep(this.#timings.retryPeriodMs * (1 + JITTER * random.next()), signal);
  }

  async #renewUntilLost(signal: AbortSignal): Promise<void> {
    const { clock, lease, identity } = this.#options;
    for (;;) {
      await clock.sleep(Math.min(this.#timings.retryPeriodMs, Math.max(0, this.#leftMs())), signal);
      // Asked for no longer than it would help: whoever waits for an answer meanwhile leads on without the lease.
      const leftMs = this.#leftMs();
      if (leftMs > 0) await this.#tryClaim(leftMs, signal);
      const holder = this.#observed?.lease.spec?.holderIdentity;
      if (holder !== undefined && holder !== "" && holder !== identity) throw new LeaseLost(lease.name, `"${holder}" holds it now`);
      if (this.#leftMs() <= 0) throw new LeaseLost(lease.name, `not renewed for ${this.#timings.renewDeadlineMs} ms`);
    }
  }

  /** How long the last renewal still lets us lead. */
  #leftMs(): number {
    return this.#renewedAtMs + this.#timings.renewDeadlineMs - this.#options.clock.monotonicMs();
  }

  #setHolder(isHolder: boolean): void {
    this.#isHolder = isHolder;
    this.#status.set(isHolder ? 1 : 0, { name: this.#options.lease.name });
    this.#logger.info(isHolder ? "Leadership starts" : "Leadership ends");
  }

  /** Takes or renews the lease, within a time. Units: milliseconds. @returns true if this process holds it now */
  async #tryClaim(withinMs: number, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    const deadline = startDeadline(clock, withinMs, signal);
    const startMs = clock.monotonicMs();
    try {
      const isOurs = await this.#claim(deadline.signal);
      this.#mustRead = false;
      this.#lastFailure = undefined;
      if (isOurs) this.#renewedAtMs = startMs;
      return isOurs;
    } catch (thrown) {
      signal.throwIfAborted();
      const error = fromThrown({ verb: "claim", subject: `Lease "${this.#options.lease.name}"` }, thrown);
      if (failureKind(error) === undefined) throw error;
      this.#mustRead = true;
      const isLateness = failureKind(error) === "conflict";
      this.#lastFailure = isLateness ? undefined : error;
      const level = isLateness ? "debug" : "warn";
      this.#logger[level]("Lease cannot be claimed", failureFields(error));
      return false;
    } finally {
      deadline.end();
    }
  }

  async #claim(signal: AbortSignal): Promise<boolean> {
    const current = this.#mine() ?? (await this.#read(signal));
    if (current === undefined) {
      await this.#write({ metadata: this.#options.lease }, signal);
      return true;
    }
    if (!this.#isFree(current)) return false;
    await this.#write(current, signal);
    return true;
  }

  /** The lease as this process last wrote it: a renewal needs no reading, unless somebody else wrote meanwhile. */
  #mine(): Lease | undefined {
    const lease = this.#isHolder && !this.#mustRead ? this.#observed?.lease : undefined;
    return lease?.spec?.holderIdentity === this.#options.identity ? lease : undefined;
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { client, lease } = this.#options;
    try {
      const found = await client.get<Lease>(LEASES, lease, signal);
      this.#observe(found);
      return found;
    } catch (error) {
      if (failureKind(error) !== "missing") throw error;
      this.#observed = undefined;
      return undefined;
    }
  }

  #observe(lease: Lease): void {
    const isSame = this.#observed?.lease.metadata.resourceVersion === lease.metadata.resourceVersion;
    if (!isSame) this.#observed = { lease, seenAtMs: this.#options.clock.monotonicMs() };
  }

  #isFree({ spec = {} }: Lease): boolean {
    const { identity, clock } = this.#options;
    const { holderIdentity = "", leaseDurationSeconds = this.#timings.leaseMs / 1000 } = spec;
    const sinceMs = clock.monotonicMs() - (this.#observed?.seenAtMs ?? 0);
    return holderIdentity === "" || holderIdentity === identity || sinceMs > leaseDurationSeconds * 1000;
  }

  async #write(current: Lease, signal: AbortSignal): Promise<void> {
    const { client, identity, clock } = this.#options;
    const claim: Claim = { identity, durationSeconds: this.#timings.leaseMs / 1000, nowMs: clock.nowMs() };
    const object = { ...current, spec: claimedSpec(current.spec ?? {}, claim) };
    const isNew = current.metadata.resourceVersion === undefined;
    this.#observe(isNew ? await client.create(LEASES, object, signal) : await client.replace(LEASES, { object }, signal));
  }

  /** Gives the lease back, so that another process need not wait for it to run out. */
  async #release(): Promise<void> {
    const deadline = startDeadline(this.#options.clock, RELEASE_TIMEOUT_MS, new AbortController().signal);
    try {
      // The abort may have cut a renewal that the server carries out all the same, before or after we look.
      for (let tries = 0; tries < MAX_RELEASE_TRIES; tries++) if (await this.#tryRelease(deadline.signal)) return;
    } catch (error) {
      // It will run out by itself.
      const failure = fromThrown({ verb: "give back", subject: `Lease "${this.#options.lease.name}"` }, error);
      this.#logger.warn("Lease cannot be given back", failureFields(failure));
    } finally {
      deadline.end();
    }
  }

  /** @returns false if somebody wrote the lease since it was read */
  async #tryRelease(signal: AbortSignal): Promise<boolean> {
    const { client, clock, identity } = this.#options;
    const lease = await this.#read(signal);
    if (lease?.spec?.holderIdentity !== identity) return true;
    try {
      await client.replace<Lease>(LEASES, { object: { ...lease, spec: releasedSpec(lease.spec, clock.nowMs()) } }, signal);
      return true;
    } catch (error) {
      if (failureKind(error) === "conflict") return false;
      throw error;
    }
  }
}

/** Waits for all; the first that ends, well or badly, ends the others. @throws the first failure */
async function endTogether(term: AbortController, tasks: readonly Promise<void>[]): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(
    tasks.map((task) =>
      task.then(
        () => term.abort(new Error("the work of the leader has ended")),
        (error: unknown) => {
          if (!term.signal.aborted) failures.push(error);
          term.abort(error);
        },
      ),
    ),
  );
  if (failures.length > 0) throw failures[0];
  throw term.signal.reason;
}
