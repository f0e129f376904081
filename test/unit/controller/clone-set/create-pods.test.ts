import { expect, test } from "@jest/globals";
import type { CloneSet } from "../../../../src/api/clone-set.js";
import type { Pod } from "../../../../src/api/pod.js";
import { createPods } from "../../../../src/controller/clone-set/create-pods.js";
import type { Revisions } from "../../../../src/controller/clone-set/ensure-revisions.js";
import { Holds } from "../../../../src/controller/clone-set/holds.js";
import { Pass } from "../../../../src/controller/clone-set/pass.js";
import type { ControllerDependencies } from "../../../../src/controller/dependencies.js";
import { OperationError } from "../../../../src/lib/failure.js";
import { makeCloneSet } from "../../../support/clone-set.js";
import { createStubInformer, stubDependencies } from "../../../support/controller-stub.js";
import { TickingClock } from "../../../support/fake-clock.js";

const { template } = makeCloneSet().spec;
const revisions: Revisions = {
  update: { name: "web-new", template },
  currentName: "web-new",
  collisionCount: 0,
  templateOf: () => template,
};
const decision = { createCurrent: 0, createUpdated: 1, remove: [] };
const HOLD_MS = 4_000; // the first one, with the randomness of the stub

function setUp(tickMs: number): { readonly look: () => Promise<Pass>; readonly tries: () => number } {
  const cloneSets = createStubInformer<CloneSet>();
  cloneSets.set(makeCloneSet());
  let tries = 0;
  const client = {
    create(): Promise<never> {
      tries++;
      return Promise.reject(new OperationError("denied", "KUBE_FORBIDDEN", "Cannot create pod: exceeded quota"));
    },
  };
  const stub = stubDependencies({ pods: createStubInformer<Pod>(), cloneSets });
  const clock = new TickingClock(tickMs);
  const deps = { ...stub.deps, clock, client } as unknown as ControllerDependencies;
  const holds = new Holds(clock, deps.random, 20_000);
  const look = async (): Promise<Pass> => {
    const pass = new Pass(deps, makeCloneSet(), new AbortController().signal);
    await createPods(pass, { revisions, decision, holds });
    return pass;
  };
  return { look, tries: () => tries };
}

test("creates no pod while a refusal holds, and comes back when that is over", async () => {
  const { look, tries } = setUp(1);
  await look();
  const pass = await look();
  expect(tries()).toBe(1);
  expect(pass.requeueAfterMs).toBeGreaterThan(HOLD_MS - 20);
  expect(pass.failures).toMatchObject([{ type: "FailedScale", reason: "FailedCreate" }]);
});

test.each([300, 700, 1_100])("tries again or comes back whenever the refusal ends, by a clock that ticks every %i ms", async (tickMs) => {
  const { look, tries } = setUp(tickMs);
  for (let round = 0; round < 20; round++) {
    const before = tries();
    const pass = await look();
    expect(tries() > before || pass.requeueAfterMs !== undefined).toBe(true);
  }
  expect(tries()).toBeGreaterThan(1);
});
