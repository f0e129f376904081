import { describe, expect, test } from "@jest/globals";
import type { KubeObject } from "../../../src/api/meta.js";
import { cacheCheck, leaseCheck, whileLeading } from "../../../src/cli/readiness.js";
import { RuntimeCheck } from "../../../src/cli/runtime-check.js";
import type { ContainerRuntime } from "../../../src/cri/runtime.js";
import type { LeaderElector } from "../../../src/kube/leader-election.js";
import type { ObservedInformer } from "../../../src/kube/reflector.js";
import { OperationError } from "../../../src/lib/failure.js";
import { FakeClock } from "../../support/fake-clock.js";
import { recordingLogger } from "./recording-logger.js";

function elector(isLeader: boolean, failure?: unknown): LeaderElector {
  return { isLeader: () => isLeader, lastFailure: () => failure, run: () => Promise.resolve() };
}

describe("cacheCheck()", () => {
  const check = (hasSynced: boolean, failure?: unknown) =>
    cacheCheck("pods", { store: { hasSynced: () => hasSynced }, lastFailure: () => failure } as unknown as ObservedInformer<KubeObject>);

  test.each([
    { when: "nothing was listed yet", hasSynced: false, failure: undefined, want: "not listed yet" },
    { when: "the list fails", hasSynced: false, failure: new Error("Cannot list pods: 403"), want: "Cannot list pods: 403" },
    { when: "the list has come", hasSynced: true, failure: undefined, want: undefined },
    { when: "only the watch fails later", hasSynced: true, failure: new Error("cut off"), want: undefined },
  ])("says $want when $when", ({ hasSynced, failure, want }) => {
    expect(check(hasSynced, failure).problem()).toBe(want);
    expect(check(hasSynced, failure).name).toBe("pods-synced");
  });
});

describe("leaseCheck()", () => {
  const refused = new Error("Cannot get lease: refused");
  test.each([
    { when: "it leads", who: elector(true), want: undefined },
    { when: "it leads and one renewal failed", who: elector(true, refused), want: undefined },
    { when: "another one leads", who: elector(false), want: undefined },
    { when: "nobody can tell who leads", who: elector(false, refused), want: "Cannot get lease: refused" },
  ])("says $want when $when", ({ who, want }) => expect(leaseCheck(who).problem()).toBe(want));
});

describe("whileLeading()", () => {
  const checks = [{ name: "pods-synced", problem: () => "not listed yet" }];
  test("asks only the leader", () => {
    expect(whileLeading(elector(true), checks)[0]?.problem()).toBe("not listed yet");
    expect(whileLeading(elector(false), checks)[0]?.problem()).toBeUndefined();
  });
});

describe("RuntimeCheck", () => {
  /** A check on a runtime that answers, or fails with `state.failure`. */
  function start() {
    const clock = new FakeClock();
    const logger = recordingLogger();
    const stop = new AbortController();
    const state: { failure: Error | undefined; asked: number } = { failure: undefined, asked: 0 };
    const runtime = {
      version() {
        state.asked++;
        return state.failure === undefined ? Promise.resolve({ runtimeName: "containerd" }) : Promise.reject(state.failure);
      },
    } as unknown as ContainerRuntime;
    const check = new RuntimeCheck({ runtime, clock, logger });
    const run = (): Promise<void> => check.run(stop.signal);
    return { clock, logger, stop, state, check, run };
  }
  const gone = new OperationError("transient", "CRI_UNAVAILABLE", "Cannot reach the runtime: no such file /run/x.sock");

  test("says so before the first answer", () => {
    expect(start().check.problem()).toBe("not asked yet");
  });

  test("asks every ten seconds while all is well, and tells that once", async () => {
    const { clock, logger, state, check, stop, run } = start();
    const running = run();
    await clock.advance(30_000);
    expect(check.problem()).toBeUndefined();
    expect(state.asked).toBe(4);
    expect(logger.lines).toEqual([{ level: "info", message: "Runtime check passes", fields: { runtimeName: "containerd" } }]);
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
  });

  test("asks every second while the runtime is gone, and tells each change once", async () => {
    const { clock, logger, state, check, stop, run } = start();
    state.failure = gone;
    const running = run();
    await clock.advance(5_000);
    expect(check.problem()).toContain("/run/x.sock");
    expect(state.asked).toBe(6);
    state.failure = undefined;
    await clock.advance(1_000);
    expect(check.problem()).toBeUndefined();
    state.failure = gone;
    await clock.advance(10_000);
    expect(check.problem()).toContain("/run/x.sock");
    expect(logger.lines.map(({ message }) => message)).toEqual(["Runtime check fails", "Runtime check passes", "Runtime check fails"]);
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
  });
});
