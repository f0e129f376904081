import { describe, expect, test } from "@jest/globals";
import { supervise } from "../../../src/cli/supervise.js";
import { FakeClock } from "../../support/fake-clock.js";
import { recordingLogger } from "./recording-logger.js";

const SIGTERM = new Error("SIGTERM received");

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Supervises `work` under a clock and a logger of the test's. */
function start(work: (signal: AbortSignal, clock: FakeClock) => Promise<void>) {
  const clock = new FakeClock();
  const logger = recordingLogger();
  const stop = new AbortController();
  const exitCode = supervise((signal) => work(signal, clock), { shutdownGraceMs: 20_000, clock, logger }, stop.signal);
  return { clock, logger, stop, exitCode };
}

describe("supervise()", () => {
  test("gives 0 when the work ends in time after it was asked to", async () => {
    const { clock, logger, stop, exitCode } = start(async (signal, time) => {
      await whenAborted(signal);
      await time.sleep(19_999, new AbortController().signal);
    });
    stop.abort(SIGTERM);
    await clock.advance(19_999);
    expect(await exitCode).toBe(0);
    expect(logger.lines).toMatchObject([{ level: "info", message: "Process stops", fields: { reason: "SIGTERM received" } }]);
    await clock.advance(60_000);
    expect(logger.lines).toHaveLength(1);
  });

  test("gives 0 when the work ends with the signal's reason", async () => {
    const { stop, exitCode } = start(async (signal) => {
      await whenAborted(signal);
      throw signal.reason;
    });
    stop.abort(SIGTERM);
    expect(await exitCode).toBe(0);
  });

  test("gives 1 and says so when the work outlasts the grace", async () => {
    const { clock, logger, stop, exitCode } = start(() => new Promise(() => undefined));
    await clock.advance(60_000);
    stop.abort(SIGTERM);
    await clock.advance(19_999);
    expect(logger.lines).toHaveLength(1);
    await clock.advance(1);
    expect(await exitCode).toBe(1);
    expect(logger.lines.at(-1)).toMatchObject({ level: "error", message: "Process gives up waiting for work in hand" });
  });

  test("gives 1 and says why when the work breaks", async () => {
    const failure = new Error("lease lost");
    const { logger, exitCode } = start(() => Promise.reject(failure));
    expect(await exitCode).toBe(1);
    expect(logger.lines).toEqual([{ level: "error", message: "Process breaks", fields: { failure } }]);
  });

  test("gives 1 when the work breaks while it stops", async () => {
    const { logger, stop, exitCode } = start(async (signal) => {
      await whenAborted(signal);
      throw new Error("cannot flush");
    });
    stop.abort(SIGTERM);
    expect(await exitCode).toBe(1);
    expect(logger.lines.map(({ message }) => message)).toEqual(["Process stops", "Process breaks"]);
  });

  test("counts the grace from the start when stop was asked before", async () => {
    const clock = new FakeClock();
    const logger = recordingLogger();
    const exitCode = supervise(() => new Promise(() => undefined), { shutdownGraceMs: 5, clock, logger }, AbortSignal.abort("early"));
    await clock.advance(5);
    expect(await exitCode).toBe(1);
    expect(logger.lines[0]).toMatchObject({ message: "Process stops", fields: { reason: "early" } });
  });
});
