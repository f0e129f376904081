import { describe, expect, test } from "@jest/globals";
import { CalledStops } from "../../../../src/agent/container-restart/called-stops.js";
import { ReportBook } from "../../../../src/agent/container-restart/report-book.js";
import { RestartEvents } from "../../../../src/agent/container-restart/restart-events.js";
import { StatusWriter } from "../../../../src/agent/container-restart/status-writer.js";
import { type StopEnd, type StopOrder, StopRunner } from "../../../../src/agent/container-restart/stop-runner.js";
import type { ContainerRuntime, StopRequest } from "../../../../src/cri/runtime.js";
import { settle } from "../../../support/fake-clock.js";
import { failure, makeDeps, ObjectModel } from "./agent-builders.js";

const podRestarts = [
  { namespace: "shop", name: "web-0", uid: "uid-1", requests: [{ id: "r1", container: "app", containerID: "containerd://a" }] },
];

function makeOrder(overrides: Partial<StopOrder> = {}): StopOrder {
  return {
    podUid: "uid-1",
    pod: "shop/web-0",
    id: "r1",
    container: "app",
    instanceId: "a",
    graceSeconds: 30,
    preStop: undefined,
    ...overrides,
  };
}

function start(runtime: Partial<ContainerRuntime> = {}) {
  const model = new ObjectModel(podRestarts);
  const stops: (StopRequest & { readonly atMs: number })[] = [];
  const stopContainer = runtime.stopContainer ?? (() => Promise.resolve());
  const deps = makeDeps(model, {
    ...runtime,
    stopContainer: (request, signal) => {
      stops.push({ ...request, atMs: model.clock.monotonicMs() });
      return stopContainer(request, signal);
    },
  });
  const writer = new StatusWriter(deps, new ReportBook(() => model.cached));
  const runner = new StopRunner(deps, { writer, events: new RestartEvents(deps), calledStops: new CalledStops(deps.clock) });
  const ends: StopEnd[] = [];
  runner.onEnd = (end) => void ends.push(end);
  const stop = new AbortController();
  const ended = runner.run(stop.signal);
  void writer.run(stop.signal).catch(() => undefined);
  return { model, deps, runner, stops, ends, stop, ended };
}

function untilAborted(_request: unknown, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));
}

describe("StopRunner", () => {
  test("stops with the container's grace, and says so", async () => {
    const { runner, stops, ends, deps } = start();
    expect(runner.start(makeOrder())).toBe(0);
    await settle();
    expect(stops).toMatchObject([{ id: "a", graceSeconds: 30 }]);
    expect(ends).toMatchObject([{ order: { id: "r1" }, failure: undefined }]);
    expect(deps.recorded).toMatchObject([
      { type: "Normal", reason: "ContainerStopped", regarding: { kind: "NodePodRestart", uid: "npr-uid" } },
    ]);
  });

  test("does not start twice what is under way", async () => {
    const { runner, stops } = start({ stopContainer: untilAborted });
    runner.start(makeOrder());
    runner.start(makeOrder());
    await settle();
    expect(stops).toHaveLength(1);
    expect(runner.isRunning("r1")).toBe(true);
  });

  test("tries again no sooner than the back-off says, which doubles", async () => {
    const { model, runner, deps } = start({ stopContainer: () => Promise.reject(failure("transient")) });
    runner.start(makeOrder());
    await settle();
    expect(runner.start(makeOrder())).toBe(100);
    await model.clock.advance(100);
    expect(runner.start(makeOrder())).toBe(0);
    await settle();
    expect(runner.start(makeOrder())).toBe(200);
    expect(deps.recorded.map(({ reason }) => reason)).toEqual(["StopFailed", "StopFailed"]);
  });

  test("takes the time of preStop from the grace", async () => {
    const { model, runner, stops } = start();
    runner.start(makeOrder({ preStop: { type: "sleep", seconds: 4 } }));
    await model.clock.advance(3_999);
    expect(stops).toEqual([]);
    await model.clock.advance(100);
    expect(stops).toMatchObject([{ graceSeconds: 26 }]);
  });

  test("cuts preStop off at the grace, and leaves 2 s to the container", async () => {
    const { model, runner, stops } = start();
    runner.start(makeOrder({ preStop: { type: "sleep", seconds: 400 }, graceSeconds: 5 }));
    await model.clock.advance(5_100);
    expect(stops).toMatchObject([{ graceSeconds: 2 }]);
  });

  test("stops although preStop cannot run, and says so", async () => {
    const { model, runner, stops, deps } = start({ exec: () => Promise.reject(failure("transient")) });
    runner.start(makeOrder({ preStop: { type: "exec", command: ["/drain"] } }));
    await model.clock.advance(10);
    expect(stops).toHaveLength(1);
    expect(deps.recorded.map(({ reason }) => reason)).toEqual(["PreStopFailed", "ContainerStopped"]);
  });

  test("stops although the handler is not supported, and says so", async () => {
    const { model, runner, stops, deps } = start();
    runner.start(makeOrder({ preStop: { type: "unsupported", handler: "httpGet" } }));
    await model.clock.advance(10);
    expect(stops).toHaveLength(1);
    expect(deps.recorded.map(({ reason }) => reason)).toEqual(["PreStopUnsupported", "ContainerStopped"]);
  });

  test("sends no stop for what is withdrawn during preStop, and reports no end", async () => {
    const { model, runner, stops, ends } = start();
    runner.start(makeOrder({ preStop: { type: "sleep", seconds: 4 } }));
    await model.clock.advance(1_000);
    runner.withdraw("r1");
    await model.clock.advance(60_000);
    expect({ stops, ends, isRunning: runner.isRunning("r1") }).toEqual({ stops: [], ends: [], isRunning: false });
  });

  test("ends only after its stops have ended", async () => {
    const { runner, stop, ended } = start({ stopContainer: untilAborted });
    runner.start(makeOrder());
    await settle();
    stop.abort(new Error("shutdown"));
    await ended;
    expect(runner.isRunning("r1")).toBe(false);
  });
});
