import { beforeEach, describe, expect, test } from "@jest/globals";
import { systemRandom } from "../../../../src/lib/random.js";
import type { SimContainer, SimProgram } from "../../../../src/sim/runtime/entities.js";
import { RuntimeWorld } from "../../../../src/sim/runtime/runtime-world.js";
import { serviceCalls } from "../../../../src/sim/runtime/service-calls.js";
import { FakeClock } from "../../../support/fake-clock.js";

const POD = { namespace: "shop", name: "web-0", uid: "uid-0" };
const GAVE_UP = new Error("the caller gave up");

let clock: FakeClock;
let world: RuntimeWorld;
let caller: AbortController;

beforeEach(() => {
  clock = new FakeClock();
  world = new RuntimeWorld(clock, systemRandom);
  caller = new AbortController();
});

function run(program: Partial<SimProgram>): string {
  const [container] = world.runPod(POD, [{ name: "app", program }]);
  return (container as SimContainer).id;
}

/** The outcome of a promise, once it has one. */
function follow(promise: Promise<unknown>): { readonly outcome: () => unknown } {
  let outcome: unknown;
  promise.then(
    () => (outcome = "resolved"),
    (error: unknown) => (outcome = error),
  );
  return { outcome: () => outcome };
}

function stopCall(id: string, timeoutSeconds: number): { readonly outcome: () => unknown } {
  const call = serviceCalls(world, { runtimeName: "containerd", runtimeVersion: "v2" }).get("StopContainer");
  return follow(call?.({ containerId: id, timeout: String(timeoutSeconds) }, caller.signal) ?? Promise.reject(new Error("no such call")));
}

describe("ContainerStore.stop()", () => {
  test("has asked the program, which ends in its time although the caller gives up", async () => {
    const id = run({ stopMs: 3_000 });
    const stopping = follow(world.containers.stop(id, 10_000, caller.signal));
    await clock.advance(1_000);
    caller.abort(GAVE_UP);
    await clock.advance(1_999);
    expect(stopping.outcome()).toBe(GAVE_UP);
    expect(world.containers.get(id).state).toBe("CONTAINER_RUNNING");
    await clock.advance(1);
    expect(world.containers.get(id)).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 143 });
  });

  test("kills after the grace period only for a caller that still waits", async () => {
    const id = run({ heedsTerm: false });
    const first = follow(world.containers.stop(id, 5_000, caller.signal));
    await clock.advance(1_000);
    caller.abort(GAVE_UP);
    await clock.advance(60_000);
    expect([first.outcome(), world.containers.get(id).state]).toEqual([GAVE_UP, "CONTAINER_RUNNING"]);
    const second = follow(world.containers.stop(id, 5_000, new AbortController().signal));
    await clock.advance(4_999);
    expect([second.outcome(), world.containers.get(id).state]).toEqual([undefined, "CONTAINER_RUNNING"]);
    await clock.advance(1);
    expect([second.outcome(), world.containers.get(id).exitCode]).toEqual(["resolved", 137]);
  });

  test("does not begin anew when there is another stop", async () => {
    const id = run({ stopMs: 3_000 });
    void world.containers.stop(id, 10_000, caller.signal);
    await clock.advance(2_000);
    const second = follow(world.containers.stop(id, 10_000, caller.signal));
    await clock.advance(1_000);
    expect([second.outcome(), world.containers.get(id).state]).toEqual(["resolved", "CONTAINER_EXITED"]);
  });

  test("kills at once where there is no grace, and asks nobody when the caller has given up before", async () => {
    const id = run({ stopMs: 0 });
    const gone = new AbortController();
    gone.abort(GAVE_UP);
    const late = follow(world.containers.stop(id, 1_000, gone.signal));
    await clock.advance(2_000);
    expect([late.outcome(), world.containers.get(id).state]).toEqual([GAVE_UP, "CONTAINER_RUNNING"]);
    await world.containers.stop(id, 0, caller.signal);
    expect(world.containers.get(id)).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 137 });
  });

  test("leaves no listener behind", async () => {
    const id = run({ stopMs: 10 });
    const stopping = world.containers.stop(id, 30_000, caller.signal);
    await clock.advance(10);
    await stopping;
    expect(world.containers.watcherCount).toBe(0);
  });
});

describe("StopContainer with a fault", () => {
  test("dies-late outlives grace and deadline, and the container dies in the end", async () => {
    const id = run({ stopMs: 5 });
    Object.assign(world.faults, { stop: "dies-late", lateMs: 20_000 });
    const stopping = stopCall(id, 10);
    await clock.advance(25_000);
    caller.abort(GAVE_UP); // the deadline of the call
    await clock.advance(4_999);
    expect([stopping.outcome(), world.containers.get(id).state]).toEqual([GAVE_UP, "CONTAINER_RUNNING"]);
    await clock.advance(1);
    expect(world.containers.get(id)).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 137 });
  });

  test("dies-late answers a caller that waits long enough", async () => {
    const id = run({});
    Object.assign(world.faults, { stop: "dies-late", lateMs: 1_000 });
    const stopping = stopCall(id, 2);
    await clock.advance(2_999);
    expect(stopping.outcome()).toBeUndefined();
    await clock.advance(1);
    expect(stopping.outcome()).toBe("resolved");
  });

  test("onStop lets others kill the container at the very instant of the stop, which is then no failure", async () => {
    const id = run({ stopMs: 1_000 });
    world.faults.onStop = (stopped) => world.containers.exit(stopped, 9);
    const stopping = stopCall(id, 10);
    await clock.advance(0);
    expect([stopping.outcome(), world.containers.get(id).exitCode]).toEqual(["resolved", 9]);
  });

  test("onStop lets others remove it too", async () => {
    const id = run({});
    world.faults.onStop = (stopped) => world.containers.remove(stopped);
    const stopping = stopCall(id, 10);
    await clock.advance(0);
    expect([stopping.outcome(), world.containers.has(id)]).toEqual(["resolved", false]);
  });
});

describe("RuntimeWorld.reboot()", () => {
  test("ends what ran as lost, keeps the records, and leaves sandboxes without network", async () => {
    const id = run({ exitsAfterMs: 5_000 });
    const ended = run({});
    world.containers.exit(ended, 3);
    await clock.advance(1_000);
    world.reboot();
    expect(world.containers.get(id)).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 255, reason: "Unknown" });
    expect(world.containers.get(ended)).toMatchObject({ exitCode: 3, reason: "Error" });
    expect(world.containers.sandboxes().map(({ isReady }) => isReady)).toEqual([false, false]);
    await clock.advance(10_000);
    expect(world.containers.get(id).exitCode).toBe(255);
  });

  test("asks a container again that was asked before, when it runs anew", async () => {
    const id = run({ stopMs: 10 });
    void world.containers.stop(id, 1_000, caller.signal);
    world.reboot();
    const [sandbox] = world.containers.sandboxes();
    const next = world.runContainer({ id: String(sandbox?.id) }, POD, { name: "app", restartCount: 1 });
    await clock.advance(1_000);
    expect(world.containers.get(next.id).state).toBe("CONTAINER_RUNNING");
  });
});

describe("ContainerStore.revision", () => {
  test("grows with every change, and with nothing else", async () => {
    const { containers } = world;
    const seen: number[] = [];
    const note = (act: () => void): void => {
      const before = containers.revision;
      act();
      seen.push(containers.revision - before);
    };
    let id = "";
    note(() => (id = run({})));
    note(() => void containers.list());
    note(() => containers.exit(id, 0));
    note(() => containers.exit(id, 0));
    note(() => containers.stopSandbox(String(containers.sandboxes()[0]?.id)));
    note(() => containers.removeSandbox(String(containers.sandboxes()[0]?.id)));
    note(() => containers.reboot());
    expect(seen.map((change) => change > 0)).toEqual([true, false, true, false, true, true, false]);
  });
});
