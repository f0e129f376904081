import { Worker } from "node:worker_threads";
import type { Plan } from "../plan/plan.js";
import type { Order, Summary } from "./messages.js";

interface Job {
  readonly order: Order;
  readonly resolve: (summary: Summary) => void;
  readonly reject: (failure: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
}

/** Threads that run plans side by side. Close it when done. */
export class Pool {
  readonly #path: string;
  readonly #threads: Thread[];
  readonly #queue: Job[] = [];
  #ids = 0;

  constructor(path: string, size: number) {
    this.#path = path;
    this.#threads = Array.from({ length: size }, () => this.#thread());
  }

  /** Runs one plan. @throws what broke the runner itself */
  run(plan: Plan, wantsJournal = false): Promise<Summary> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ order: { id: ++this.#ids, plan, wantsJournal }, resolve, reject });
      this.#assign();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #thread(): Thread {
    const thread: Thread = {
      worker: new Worker(this.#path, { resourceLimits: { maxYoungGenerationSizeMb: 256 } }),
      job: undefined,
    };
    thread.worker.on("message", (answer: Summary | { readonly failure: string }) => {
      const { job } = thread;
      thread.job = undefined;
      if ("failure" in answer) job?.reject(new Error(`The runner breaks on seed ${String(job.order.plan.seed)}: ${answer.failure}`));
      else job?.resolve(answer);
      this.#assign();
    });
    thread.worker.on("error", (failure) => {
      thread.job?.reject(new Error(`A run breaks its thread (seed ${String(thread.job.order.plan.seed)})`, { cause: failure }));
      thread.job = undefined;
      this.#replace(thread);
      this.#assign();
    });
    return thread;
  }

  #assign(): void {
    for (const thread of [...this.#threads]) {
      if (thread.job !== undefined) continue;
      const job = this.#queue.shift();
      if (job === undefined) return;
      thread.job = job;
      thread.worker.postMessage(job.order);
    }
  }

  #replace(thread: Thread): void {
    this.#threads.splice(this.#threads.indexOf(thread), 1, this.#thread());
    void thread.worker.terminate();
  }
}
