import { beforeEach, describe, expect, test } from "@jest/globals";
import { systemRandom } from "../../../../src/lib/random.js";
import { Relist } from "../../../../src/sim/kubelet/relist.js";
import type { SimContainer } from "../../../../src/sim/runtime/entities.js";
import { RuntimeWorld } from "../../../../src/sim/runtime/runtime-world.js";
import { FakeClock } from "../../../support/fake-clock.js";

const POD = { namespace: "shop", name: "web-0", uid: "uid-0" };
const OTHER = { namespace: "shop", name: "web-1", uid: "uid-1" };
const signal = new AbortController().signal;

let clock: FakeClock;
let world: RuntimeWorld;
let relist: Relist;

beforeEach(() => {
  clock = new FakeClock();
  world = new RuntimeWorld(clock, systemRandom);
  relist = new Relist(world.containers, clock);
});

function run(pod: typeof POD): SimContainer {
  return world.runPod(pod, [{ name: "app" }])[0] as SimContainer;
}

describe("Relist", () => {
  test("look() names the pods of which something began or ended, each once", () => {
    run(POD);
    const { id } = run(OTHER);
    expect(relist.look()).toEqual([POD.uid, OTHER.uid]);
    expect(relist.look()).toEqual([]);
    world.containers.exit(id, 0);
    expect(relist.look()).toEqual([OTHER.uid]);
  });

  test("look() says nothing of what is only created, nor of the removal of what was seen to end", () => {
    const { id, ...container } = run(POD);
    relist.look();
    const created = world.containers.create(container);
    expect(relist.look()).toEqual([]);
    world.containers.start(created.id);
    expect(relist.look()).toEqual([POD.uid]);
    world.containers.exit(id, 0);
    relist.look();
    world.containers.remove(id);
    expect(relist.look()).toEqual([]);
  });

  test("look() names the pod of a container that is gone before its end was seen", () => {
    const { id } = run(POD);
    relist.look();
    world.containers.exit(id, 0);
    world.containers.remove(id);
    expect(relist.look()).toEqual([POD.uid]);
  });

  test("newerThan() waits for a look that is late enough, and shows the newest first", async () => {
    const first = run(POD);
    relist.look();
    const view = await relist.newerThan(POD.uid, -1, signal);
    expect(view.containers).toEqual([first]);
    let later: readonly SimContainer[] = [];
    void relist.newerThan(POD.uid, clock.monotonicMs(), signal).then(({ containers }) => (later = containers));
    const second = world.runContainer({ id: first.sandboxId }, POD, { name: "app", restartCount: 1 });
    relist.look();
    await clock.advance(1);
    expect(later).toEqual([]);
    relist.look();
    await clock.advance(0);
    expect(later).toEqual([second, first]);
  });

  test("newerThan() of a pod that the runtime does not know shows nothing", async () => {
    relist.look();
    expect(await relist.newerThan("none", -1, signal)).toEqual({ sandbox: undefined, lastSandbox: undefined, containers: [] });
  });

  test("newerThan() ends when it is aborted", async () => {
    const stop = new AbortController();
    const waiting = relist.newerThan(POD.uid, 5, stop.signal);
    const reason = new Error("the kubelet stops");
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});
