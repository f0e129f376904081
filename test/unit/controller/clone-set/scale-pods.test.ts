import { describe, expect, test } from "@jest/globals";
import type { ControllerDependencies } from "../../../../src/controller/dependencies.js";
import type { Revisions } from "../../../../src/controller/clone-set/ensure-revisions.js";
import { Holds } from "../../../../src/controller/clone-set/holds.js";
import { Pass } from "../../../../src/controller/clone-set/pass.js";
import { scalePods } from "../../../../src/controller/clone-set/scale-pods.js";
import type { CloneSet } from "../../../../src/api/clone-set.js";
import type { Pod } from "../../../../src/api/pod.js";
import { observePod } from "../../../../src/core/clone-set/observed-pod.js";
import type { DeleteRequest } from "../../../../src/kube/client.js";
import { OperationError } from "../../../../src/lib/failure.js";
import { makeCloneSet, makeSetPod } from "../../../support/clone-set.js";
import { createStubInformer, type StubInformer, stubDependencies } from "../../../support/controller-stub.js";

interface Setting {
  readonly pods: StubInformer<Pod>;
  readonly unanswered: Set<string>;
  readonly requests: DeleteRequest[];
  /** Of `web-aaaaa`. */
  readonly scale: () => Promise<boolean>;
}

const pod: Pod = { ...makeSetPod({ ready: false }), metadata: { ...makeSetPod().metadata, resourceVersion: "7" } };

/** A set that has a pod too many, and an API server that answers its deletion so. */
function setUp(answer: () => Promise<undefined>): Setting {
  const requests: DeleteRequest[] = [];
  const cloneSets = createStubInformer<CloneSet>();
  cloneSets.set(makeCloneSet());
  const pods = createStubInformer<Pod>();
  pods.set(pod);
  const { deps, clock } = stubDependencies({ pods, cloneSets });
  const client = {
    delete(_resource: unknown, request: DeleteRequest): Promise<undefined> {
      requests.push(request);
      return answer();
    },
  };
  const pass = new Pass({ ...deps, client } as unknown as ControllerDependencies, makeCloneSet(), new AbortController().signal);
  const measure = { updateRevision: "web-new", minReadySeconds: 0, nowMs: clock.nowMs() };
  const decision = { createCurrent: 0, createUpdated: 0, remove: [observePod(pod, measure)] };
  const { template } = makeCloneSet().spec;
  const revisions: Revisions = {
    update: { name: "web-new", template },
    currentName: "web-new",
    collisionCount: 0,
    templateOf: () => template,
  };
  const holds = new Holds(clock, deps.random, 30_000);
  const unanswered = new Set<string>();
  return { pods, unanswered, requests, scale: () => scalePods(pass, { revisions, decision, holds, unanswered }) };
}

describe("scalePods()", () => {
  test("deletes a pod only as it was when that was decided: one that has become ready since may be needed", async () => {
    const { requests, scale } = setUp(() => Promise.resolve(undefined));
    expect(await scale()).toBe(true);
    expect(requests).toMatchObject([
      { target: { namespace: "shop", name: "web-aaaaa" }, options: { uid: "web-aaaaa-uid", resourceVersion: "7" } },
    ]);
  });

  test("takes a pod for gone of which the API server says so, so that no other one goes in its place", async () => {
    const missing = new OperationError("missing", "KUBE_NOT_FOUND", "Cannot delete pod: not found");
    const { pods, scale } = setUp(() => Promise.reject(missing));
    expect(await scale()).toBe(false);
    expect(pods.store.list()).toEqual([]);
  });

  test("notes a pod whose deletion got no answer, updates none beside it, and forgets that with the next answer", async () => {
    const lost = new OperationError("transient", "KUBE_DISCONNECTED", "Cannot delete pod: the connection was reset");
    let isLost = true;
    const { unanswered, scale } = setUp(() => (isLost ? Promise.reject(lost) : Promise.resolve(undefined)));
    expect(await scale()).toBe(true);
    expect([...unanswered]).toEqual(["web-aaaaa-uid"]);
    isLost = false;
    await scale();
    expect([...unanswered]).toEqual([]);
  });

  test("updates none beside a pod whose deletion got no answer and that has changed since: perhaps by that", async () => {
    const conflict = new OperationError("conflict", "KUBE_CONFLICT", "Cannot delete pod: it has changed");
    const { unanswered, scale } = setUp(() => Promise.reject(conflict));
    expect(await scale()).toBe(false);
    unanswered.add("web-aaaaa-uid");
    expect(await scale()).toBe(true);
  });
});
