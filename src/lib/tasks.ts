import { setMaxListeners } from "node:events";

/** Something that lives long: runs until the signal aborts or it breaks, and resolves only when its work has ended. */
export interface Task {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Runs tasks side by side until `parent` aborts. The first failure stops the others; the result waits for all of them.
 *
 * @throws the first failure, or an error naming a task that returned before anybody asked it to
 */
export async function runAll(tasks: readonly Task[], parent: AbortSignal): Promise<void> {
  const group = new AbortController();
  const signal = AbortSignal.any([parent, group.signal]);
  // Every wait of every task listens: many listeners are no leak here.
  setMaxListeners(0, signal);
  const failures: unknown[] = [];
  const running = tasks.map(async (task) => {
    try {
      await task.run(signal);
      if (!signal.aborted) throw new Error(`Cannot go on without task "${task.name}": it returned before shutdown was asked`);
    } catch (error) {
      if (signal.aborted && error === signal.reason) return; // asked to stop: no failure
      failures.push(error);
      group.abort(error);
    }
  });
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}
