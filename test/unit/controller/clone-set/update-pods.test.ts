import { describe, expect, test } from "@jest/globals";
import type { CloneSet } from "../../../../src/api/clone-set.js";
import type { Pod } from "../../../../src/api/pod.js";
import type { ControllerDependencies } from "../../../../src/controller/dependencies.js";
import type { Revisions } from "../../../../src/controller/clone-set/ensure-revisions.js";
import { Holds } from "../../../../src/controller/clone-set/holds.js";
import { Pass } from "../../../../src/controller/clone-set/pass.js";
import { updatePods } from "../../../../src/controller/clone-set/update-pods.js";
import type { ObjectName, PatchRequest } from "../../../../src/kube/client.js";
import { OperationError } from "../../../../src/lib/failure.js";
import { makeCloneSet, makeSetPod } from "../../../support/clone-set.js";
import { createStubInformer, type StubInformer, stubDependencies } from "../../../support/controller-stub.js";
import type { FakeClock } from "../../../support/fake-clock.js";

interface Setting {
  readonly pods: StubInformer<Pod>;
  readonly cloneSets: StubInformer<CloneSet>;
  readonly clock: FakeClock;
  readonly asked: readonly string[];
  /** Answers to reads. */
  read: Answer;
  readonly update: () => Promise<void>;
}

type Answer = (name: string) => Promise<Pod>;

/** A ReCreate set of ready pods a, b and c, and what updates of it ask the API server for. */
function setUp(maxUnavailable: number, answer: Answer): Setting {
  const pods = createStubInformer<Pod>();
  for (const name of ["web-a", "web-b", "web-c"]) pods.set(makeSetPod({ name, revision: "web-old" }));
  const cloneSets = createStubInformer<CloneSet>();
  const { deps, clock } = stubDependencies({ pods, cloneSets });
  const asked: string[] = [];
  const client = {
    patch(_resource: unknown, { target }: PatchRequest): Promise<Pod> {
      asked.push(target.name);
      return answer(target.name);
    },
    get: (_resource: unknown, { name }: ObjectName) => setting.read(name),
  };
  const cloneSet = makeCloneSet({ replicas: 3, updateStrategy: { type: "ReCreate", maxUnavailable } });
  cloneSets.set(cloneSet);
  const { template } = cloneSet.spec;
  const revisions: Revisions = {
    update: { name: "web-new", template },
    currentName: "web-old",
    collisionCount: 0,
    templateOf: () => template,
  };
  const holds = new Holds(clock, deps.random, 300_000);
  const update = async (): Promise<void> => {
    const pass = new Pass({ ...deps, client } as unknown as ControllerDependencies, cloneSet, new AbortController().signal);
    await updatePods(pass, revisions, holds);
  };
  const read = (name: string): Promise<Pod> => Promise.resolve(makeSetPod({ name, revision: "web-old" }));
  const setting: Setting = { pods, cloneSets, clock, asked, update, read };
  return setting;
}

const lost = new OperationError("transient", "KUBE_DISCONNECTED", "Cannot patch pod: the connection was reset");

describe("updatePods()", () => {
  test("takes no other pod beside one whose answer was lost, until that one may be tried again", async () => {
    const { asked, update, clock } = setUp(1, () => Promise.reject(lost));
    await update();
    await update();
    expect(asked).toEqual(["web-a"]);
    await clock.advance(5_000);
    await update();
    expect(asked).toEqual(["web-a", "web-a"]);
    await clock.advance(9_999);
    await update();
    expect(asked).toEqual(["web-a", "web-a"]); // reading it has not made it any better
  });

  test("takes no other pod for one whose answer was lost and of which the cache has not heard since", async () => {
    const setting = setUp(1, () => Promise.reject(lost));
    setting.read = () => Promise.reject(lost);
    await setting.update();
    for (let round = 0; round < 10; round++) {
      await setting.clock.advance(6_000);
      await setting.update();
    }
    setting.read = (name) => Promise.resolve(makeSetPod({ name, revision: "web-new", ready: false }));
    await setting.clock.advance(6_000);
    await setting.update();
    expect(setting.asked).toEqual(["web-a"]);
  });

  test("goes on to another pod when one was refused", async () => {
    const refusal = new OperationError("denied", "KUBE_FORBIDDEN", "Cannot patch pod: forbidden");
    const { asked, update } = setUp(1, () => Promise.reject(refusal));
    await update();
    await update();
    expect(asked).toEqual(["web-a", "web-b"]);
  });

  test("decides again when pods became unavailable during a slow write", async () => {
    const setting: Setting = setUp(2, async (name) => {
      await setting.clock.advance(51);
      setting.pods.set(makeSetPod({ name: "web-c", revision: "web-old", ready: false }));
      return makeSetPod({ name, revision: "web-old", ready: false });
    });
    await setting.update();
    expect(setting.asked).toEqual(["web-a", "web-c"]); // c costs nothing any more, b would be the third
  });

  test.each([
    ["paused", { generation: 8 }],
    ["deleted", { deletionTimestamp: "2026-01-02T03:04:05Z" }],
    ["replaced by another of its name", { uid: "another" }],
  ])("stops when the set was %s during a write: the next pass goes by that", async (_, change) => {
    const setting: Setting = setUp(3, (name) => {
      for (const set of setting.cloneSets.store.list()) setting.cloneSets.set({ ...set, metadata: { ...set.metadata, ...change } });
      return Promise.resolve(makeSetPod({ name, revision: "web-old" }));
    });
    await setting.update();
    expect(setting.asked).toEqual(["web-a"]);
  });

  test("takes no other pod for one that turns out to be newer than the cache", async () => {
    const conflict = new OperationError("conflict", "KUBE_CONFLICT", "Cannot patch pod: it has changed");
    const setting: Setting = setUp(1, async () => {
      await setting.clock.advance(51);
      throw conflict;
    });
    await setting.update();
    expect(setting.asked).toEqual(["web-a"]);
  });
});
