import { describe, expect, test } from "@jest/globals";
import { runAll, type Task } from "../../../src/lib/tasks.js";
import { settle } from "../../support/fake-clock.js";

/** A task that runs until it is asked to stop, and ends when `finish` is called. */
function patientTask(name: string): Task & { readonly log: string[]; finish(): void } {
  const log: string[] = [];
  let finish = (): void => undefined;
  const mayEnd = new Promise<void>((resolve) => (finish = resolve));
  return {
    name,
    log,
    finish: () => finish(),
    async run(signal) {
      log.push("started");
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      log.push("asked to stop");
      await mayEnd;
      log.push("ended");
      throw signal.reason;
    },
  };
}

function task(name: string, run: (signal: AbortSignal) => Promise<void>): Task {
  return { name, run };
}

/** What became of a promise, without waiting for it. */
function outcomeOf(promise: Promise<void>): () => unknown {
  let outcome: unknown = "pending";
  promise.then(
    () => (outcome = "resolved"),
    (error: unknown) => (outcome = error),
  );
  return () => outcome;
}

describe("runAll()", () => {
  test("starts every task before any has ended", async () => {
    const [one, two] = [patientTask("one"), patientTask("two")];
    const stop = new AbortController();
    const running = runAll([one, two], stop.signal);
    expect([one.log, two.log]).toEqual([["started"], ["started"]]);
    one.finish();
    two.finish();
    stop.abort(new Error("enough"));
    await running;
  });

  test("stops the others at the first failure, waits for all of them, and throws that failure", async () => {
    const others = [patientTask("one"), patientTask("two")];
    const broken = new Error("broken");
    const running = runAll([...others, task("three", () => Promise.reject(broken))], new AbortController().signal);
    const outcome = outcomeOf(running);
    await settle();
    expect(others.map(({ log }) => log)).toEqual([
      ["started", "asked to stop"],
      ["started", "asked to stop"],
    ]);
    others[0]?.finish();
    await settle();
    expect(outcome()).toBe("pending");
    others[1]?.finish();
    await settle();
    expect(outcome()).toBe(broken);
  });

  test("throws the first failure, not what another task broke with while it stopped", async () => {
    const first = new Error("first");
    const clumsy = task("clumsy", async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      throw new Error("second");
    });
    await expect(runAll([clumsy, task("broken", () => Promise.reject(first))], new AbortController().signal)).rejects.toBe(first);
  });

  test("is no failure when the tasks end because they were asked to", async () => {
    const stop = new AbortController();
    const polite = patientTask("polite");
    const quiet = task("quiet", (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })));
    const running = runAll([polite, quiet], stop.signal);
    stop.abort(new Error("SIGTERM received"));
    polite.finish();
    await expect(running).resolves.toBeUndefined();
  });

  test("is a failure when a task breaks while it stops", async () => {
    const stop = new AbortController();
    const broken = new Error("cannot flush");
    const clumsy = task("clumsy", async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      throw broken;
    });
    const running = runAll([clumsy], stop.signal);
    stop.abort(new Error("SIGTERM received"));
    await expect(running).rejects.toBe(broken);
  });

  test("names a task that returned although nobody asked it to, and stops the others", async () => {
    const other = patientTask("other");
    const running = runAll([other, task("flighty", () => Promise.resolve())], new AbortController().signal);
    other.finish();
    await expect(running).rejects.toThrow('Cannot go on without task "flighty": it returned before shutdown was asked');
    expect(other.log).toEqual(["started", "asked to stop", "ended"]);
  });

  test("treats a task that throws at once like one that breaks later", async () => {
    const broken = new Error("no promise at all");
    const running = runAll(
      [
        task("rude", () => {
          throw broken;
        }),
      ],
      new AbortController().signal,
    );
    await expect(running).rejects.toBe(broken);
  });

  test("runs nothing to a failure when stop was asked before the start", async () => {
    const stop = new AbortController();
    stop.abort(new Error("too late"));
    const seen: boolean[] = [];
    const running = runAll(
      [
        task("late", async (signal) => {
          seen.push(signal.aborted);
          signal.throwIfAborted();
        }),
      ],
      stop.signal,
    );
    await expect(running).resolves.toBeUndefined();
    expect(seen).toEqual([true]);
  });
});
