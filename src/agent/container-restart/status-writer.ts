import type { NodePodRestart } from "../../api/node-pod-restart.js";
import { NODE_POD_RESTARTS } from "../../api/resources.js";
import { buildNodeStatus } from "../../core/container-restart/node-status.js";
import { equalJson } from "../../core/values/json-diff.js";
import { backoffDelayMs } from "../../lib/backoff.js";
import { failureKind, failureMessage } from "../../lib/failure.js";
import type { Task } from "../../lib/tasks.js";
import type { AgentDependencies } from "../dependencies.js";
import { Alarm } from "./alarm.js";
import type { ReportBook } from "./report-book.js";

/** What nobody waits for shares the write that somebody waits for: most restarts are over within this time. */
const UNHURRIED_MS = 5_000;
/** Lets what happens in the same moment share a write. */
const HURRIED_MS = 2;
const MIN_GAP_MS = 100;
const BACKOFF = { initialMs: 200, maxMs: 10_000, jitter: 0.2 };

/** Whether this call wrote that preStop begins, or an earlier life of the agent had written it before. */
export type StoppingRecord = "written" | "already";

interface Waiter {
  readonly podUid: string;
  readonly id: string;
  readonly resolve: (record: StoppingRecord) => void;
}

/**
 * Writes the node's whole status when it differs from what the API server has, one write at a time.
 *
 * Each write is on condition of the resourceVersion it was built on: two agents, or an agent with an old cache, cannot both believe
 * that they were the first to write `Stopping`.
 */
export class StatusWriter implements Task {
  readonly name = "container-restart/status";
  readonly #deps: AgentDependencies;
  readonly #book: ReportBook;
  readonly #alarm: Alarm;
  readonly #waiters = new Set<Waiter>();
  #failures = 0;

  constructor(deps: AgentDependencies, book: ReportBook) {
    this.#deps = deps;
    this.#book = book;
    this.#alarm = new Alarm(deps.clock);
  }

  /** Somebody waits for what the book holds by now. */
  writeNow(): void {
    this.#alarm.setNoLaterThan(HURRIED_MS);
  }

  /** The book has changed, or the spec; within seconds is early enough. */
  writeSoon(): void {
    this.#alarm.setNoLaterThan(UNHURRIED_MS);
  }

  /** Puts `Stopping` into the status. Resolves when the API server has it; rejects when the signal aborts. */
  async recordStopping(request: { readonly podUid: string; readonly id: string }, signal: AbortSignal): Promise<StoppingRecord> {
    signal.throwIfAborted();
    this.#book.setResult(request.podUid, { id: request.id, phase: "Stopping" });
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { ...request, resolve: settle };
      const stop = (): void => {
        this.#waiters.delete(waiter);
        reject(signal.reason as Error);
      };
      function settle(record: StoppingRecord): void {
        signal.removeEventListener("abort", stop);
        resolve(record);
      }
      signal.addEventListener("abort", stop, { once: true });
      this.#waiters.add(waiter);
      this.writeNow();
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { logger, random } = this.#deps;
    await this.#deps.informers.nodePodRestarts.waitForSync(signal);
    for (;;) {
      await this.#alarm.ring(signal);
      try {
        await this.#write(signal);
        this.#failures = 0;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const delayMs = backoffDelayMs(BACKOFF, ++this.#failures, random);
        this.#alarm.setNoLaterThan(delayMs);
        logger.warn("Status write fails", {
          failure: failureMessage(error),
          kind: failureKind(error) ?? "bug",
          attempt: this.#failures,
          delayMs,
        });
        await this.#deps.clock.sleep(delayMs, signal);
      }
    }
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { informers, nodeName } = this.#deps;
    const object = informers.nodePodRestarts.store.get(nodeName);
    if (object === undefined) return; // gone: whoever waits is withdrawn by the same event
    const waiters = [...this.#waiters];
    for (const waiter of waiters) if (hasBegun(object, waiter)) this.#settle(waiter, "already");
    const status = buildNodeStatus(object, this.#book.reports);
    if (equalJson(status, object.status)) return;
    const isWritten = await this.#patch(object, status, signal);
    if (isWritten) for (const waiter of waiters) this.#settle(waiter, "written");
    this.#alarm.holdFor(MIN_GAP_MS);
  }

  /** @returns false if nothing was written: the cache was behind and the write is tried again, or the object is gone */
  async #patch(object: NodePodRestart, status: NodePodRestart["status"], signal: AbortSignal): Promise<boolean> {
    const { client, informers, nodeName } = this.#deps;
    const body = { metadata: { resourceVersion: object.metadata.resourceVersion }, status };
    const target = { name: nodeName };
    try {
      const patch = { target, type: "merge", body, subresource: "status" } as const;
      informers.nodePodRestarts.applyWrite(await client.patch<NodePodRestart>(NODE_POD_RESTARTS, patch, signal));
      return true;
    } catch (error) {
      if (failureKind(error) === "missing") {
        this.writeSoon(); // whoever waits is withdrawn as soon as the cache sees it go
        return false;
      }
      if (failureKind(error) !== "conflict") throw error;
      informers.nodePodRestarts.applyWrite(await client.get<NodePodRestart>(NODE_POD_RESTARTS, target, signal));
      this.writeNow();
      return false;
    }
  }

  #settle(waiter: Waiter, record: StoppingRecord): void {
    if (this.#waiters.delete(waiter)) waiter.resolve(record);
  }
}

/** Another life of the agent may even have come to the end of it. */
function hasBegun(object: NodePodRestart, { podUid, id }: Waiter): boolean {
  const status = object.status?.podRestartStatuses?.find(({ uid }) => uid === podUid);
  return status?.results?.some(({ id: told, phase }) => told === id && (phase === "Stopping" || phase === "Stopped")) === true;
}
