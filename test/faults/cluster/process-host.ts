import { createKubeClient } from "../../../src/kube/kube-client.js";
import type { KubeClient } from "../../../src/kube/client.js";
import { fileCredentials } from "../../../src/kube/auth.js";
import type { Clock } from "../../../src/lib/clock.js";
import { failureMessage } from "../../../src/lib/failure.js";
import type { Logger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import type { Random } from "../../../src/lib/random.js";
import { runAll, type Task } from "../../../src/lib/tasks.js";
import type { Journal } from "../journal.js";
import { type ClockError, processClock } from "../machine/host-clock.js";
import { Incarnation } from "../machine/incarnation.js";
import { SeededRandom } from "../../support/seeded-random.js";
import type { Timeline } from "../machine/timeline.js";
import { type ApiEndpoint, ApiWire } from "../wires/api-wire.js";
import type { OnStep } from "../wires/interception.js";
import type { Link } from "../wires/link.js";
import { deliveriesOf, deliveriesToAgent } from "./deliveries.js";
import { journalLogger } from "./journal-logger.js";

/** What one life of a process is built from. */
export interface LifePorts {
  readonly incarnation: Incarnation;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly logger: Logger;
}

export interface ProcessHostOptions {
  /** Such as `agent-1`. */
  readonly name: string;
  readonly component: "agent" | "controller";
  readonly seed: number;
  readonly timeline: Timeline;
  readonly journal: Journal;
  readonly clockError: ClockError;
  readonly link: Link;
  readonly endpoint: () => ApiEndpoint;
  /** What is in the token's file now. */
  readonly token: () => string;
  readonly onStep: OnStep;
  readonly tasks: (ports: LifePorts) => readonly Task[];
}

/** From the end of a process to its next start, as the kubelet does it. */
const RESTART_MS = { low: 400, high: 2_500 };
const QPS = { agent: { qps: 20, burst: 40 }, controller: { qps: 200, burst: 400 } };

interface Life {
  readonly incarnation: Incarnation;
  readonly stopping: AbortController;
}

/** A machine's place for one of our processes: starts it, and starts it again whenever it has ended. */
export class ProcessHost {
  readonly name: string;
  readonly link: Link;
  readonly #options: ProcessHostOptions;
  readonly #random: SeededRandom;
  readonly #lives: Life[] = [];
  #life: Life | undefined;
  #isHeldDown = false;

  constructor(options: ProcessHostOptions) {
    this.name = options.name;
    this.link = options.link;
    this.#options = options;
    this.#random = new SeededRandom(options.seed, `host/${options.name}`);
  }

  /** The life that goes on, if any. */
  get incarnation(): Incarnation | undefined {
    return this.#life?.incarnation;
  }

  start(): void {
    if (this.#life !== undefined || this.#isHeldDown) return;
    this.#life = this.#begin();
  }

  /** kill -9: gone in the middle of everything; started again after a while. */
  crash(downMs?: number): void {
    const life = this.#life;
    if (life === undefined) return;
    this.#life = undefined;
    this.#tell(life.incarnation.name, "crashes");
    life.incarnation.crash();
    this.#startLater(downMs);
  }

  /** SIGTERM: it may finish what it has in hand. */
  terminate(): void {
    this.#life?.stopping.abort(new Error("SIGTERM"));
  }

  pause(durationMs: number): void {
    const { incarnation } = this;
    if (incarnation === undefined) return;
    incarnation.pause();
    this.#options.timeline.after(durationMs, () => {
      for (const [index, act] of incarnation.resume().entries()) {
        this.#options.timeline.after(index / 1000, () => incarnation.deliver(act));
      }
    });
  }

  /** A new life begins while the old one still works, as when a DaemonSet is changed by hand; the old one is told to end after a while. */
  overlap(durationMs: number): void {
    const old = this.#life;
    if (old === undefined) return;
    this.#life = this.#begin();
    this.#options.timeline.after(durationMs, () => old.stopping.abort(new Error("SIGTERM")));
  }

  /** The machine is off: nothing runs until `release`. */
  holdDown(): void {
    this.#isHeldDown = true;
    const life = this.#life;
    if (life === undefined) return;
    this.#life = undefined;
    this.#tell(life.incarnation.name, "crashes");
    life.incarnation.crash();
  }

  release(): void {
    this.#isHeldDown = false;
    this.#startLater(undefined);
  }

  /** Lets go of what all lives wait for, once the machine is off and the story told: signals that nobody aborts are never forgotten. */
  discard(): void {
    for (const { stopping } of this.#lives) stopping.abort(new Error("the run is over"));
  }

  #begin(): Life {
    const { seed, timeline, clockError, name } = this.#options;
    const incarnation = new Incarnation(`${name}#${String(this.#lives.length + 1)}`);
    const random = new SeededRandom(seed, incarnation.name);
    const clock = processClock(timeline, clockError, incarnation);
    const logger = journalLogger(this.#options.journal, incarnation);
    const client = this.#client({ incarnation, clock, random });
    const life = { incarnation, stopping: new AbortController() };
    this.#lives.push(life);
    this.#tell(incarnation.name, "starts");
    const tasks = this.#options.tasks({ incarnation, client, clock, random, logger });
    runAll(tasks, life.stopping.signal).then(
      () => this.#ended(life, undefined),
      (failure: unknown) => this.#ended(life, failure),
    );
    return life;
  }

  #client({ incarnation, clock, random }: { incarnation: Incarnation; clock: Clock; random: Random }): KubeClient {
    const { seed, timeline, journal, link, endpoint, token, onStep, component } = this.#options;
    const wire = new ApiWire({
      component,
      timeline,
      incarnation,
      random: new SeededRandom(seed, `${incarnation.name}/wire`),
      link,
      endpoint,
      onStep,
      onDelivered: (text, path) => {
        const deliveries = component === "agent" ? deliveriesToAgent(text, path) : deliveriesOf(text, path);
        for (const delivery of deliveries) journal.add({ type: "delivered", actor: incarnation.name, ...delivery });
      },
    });
    const files = { read: () => Promise.resolve(Buffer.from(token())), modifiedMs: () => Promise.resolve(0) };
    const credentials = fileCredentials({ token: "token", files, clock });
    return createKubeClient({ wire, credentials, component, version: "0.0.0", ...QPS[component], clock, random, metrics: silentMetrics });
  }

  #ended(life: Life, failure: unknown): void {
    const { incarnation, stopping } = life;
    if (!incarnation.isAlive) return;
    const isAsked = stopping.signal.aborted && (failure === undefined || failure === stopping.signal.reason);
    // A leader that lost its Lease ends, as it should; its pod is started again.
    const isLeaseLost = failure instanceof Error && failure.name === "LeaseLost";
    this.#tell(incarnation.name, isAsked || isLeaseLost ? "ends" : "breaks", failure === undefined ? "" : failureMessage(failure));
    incarnation.crash();
    if (this.#life !== life) return;
    this.#life = undefined;
    this.#startLater(undefined);
  }

  #startLater(downMs: number | undefined): void {
    this.#options.timeline.after(downMs ?? this.#random.within(RESTART_MS.low, RESTART_MS.high), () => this.start());
  }

  #tell(actor: string, change: "starts" | "crashes" | "ends" | "breaks", message = ""): void {
    this.#options.journal.add({ type: "life", actor, change, message });
  }
}
