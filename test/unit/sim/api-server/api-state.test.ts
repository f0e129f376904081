import { beforeEach, describe, expect, test } from "@jest/globals";
import { CLONE_SETS, NODES, PODS } from "../../../../src/api/resources.js";
import { ApiState } from "../../../../src/sim/api-server/api-state.js";
import { FakeClock } from "../../../support/fake-clock.js";

let clock: FakeClock;
let state: ApiState;

beforeEach(() => {
  clock = new FakeClock();
  state = new ApiState({ clock, podTerminationMs: 1_000 });
});

const web = { namespace: "shop", name: "web" };
const mergePatch = (body: unknown): { contentType: string; body: unknown } => ({ contentType: "application/merge-patch+json", body });

function refused(act: () => unknown): unknown {
  try {
    act();
    return "accepted";
  } catch (error) {
    const { code, reason } = error as { code?: number; reason?: string };
    return `${code} ${reason}`;
  }
}

describe("ApiState writes", () => {
  test("a write that changes nothing keeps the resourceVersion", () => {
    const made = state.create(CLONE_SETS, { metadata: { name: "web" }, spec: { replicas: 1 } }, "shop");
    expect(state.patch(CLONE_SETS, web, mergePatch({ spec: { replicas: 1 } })).metadata.resourceVersion).toBe(
      made.metadata.resourceVersion,
    );
  });

  test("generation counts changes of the spec only", () => {
    state.create(CLONE_SETS, { metadata: { name: "web" }, spec: { replicas: 1 } }, "shop");
    const generation = (): unknown => state.get(CLONE_SETS, web).metadata.generation;
    state.patch(CLONE_SETS, web, mergePatch({ metadata: { labels: { a: "1" } } }));
    state.patch(CLONE_SETS, web, { ...mergePatch({ status: { replicas: 1 } }), subresource: "status" });
    expect(generation()).toBe(1);
    state.patch(CLONE_SETS, web, mergePatch({ spec: { replicas: 2 } }));
    expect(generation()).toBe(2);
  });

  test("generateName makes a name of its own", () => {
    const names = [1, 2].map(() => state.create(PODS, { metadata: { generateName: "web-" } }, "shop").metadata.name);
    expect(names[0]).toMatch(/^web-\w{5}$/);
    expect(new Set(names).size).toBe(2);
  });

  test("refuses what the real server refuses", () => {
    const made = state.create(PODS, { metadata: { name: "web" }, spec: { containers: [{ name: "a", image: "a:1" }] } }, "shop");
    const patch = (body: unknown): unknown => refused(() => state.patch(PODS, web, mergePatch(body)));
    expect(patch({ metadata: { resourceVersion: "1" } })).toBe("409 Conflict");
    expect(patch({ metadata: { uid: "other" } })).toBe("422 Invalid");
    expect(patch({ spec: { containers: [{ name: "a", image: "a:2", env: [] }] } })).toBe("422 Invalid");
    expect(patch({ spec: { containers: [{ name: "a", image: "a:2" }] } })).toBe("accepted");
    expect(patch({ spec: { nodeName: "n1" } })).toBe("accepted"); // stands for binding
    expect(patch({ spec: { nodeName: "n2" } })).toBe("422 Invalid");
    expect(refused(() => state.create(PODS, made, "shop"))).toBe("409 AlreadyExists");
    expect(refused(() => state.create(PODS, { metadata: { name: "x", namespace: "a" } }, "b"))).toBe("400 BadRequest");
    expect(refused(() => state.create(PODS, { metadata: {} }, "b"))).toBe("422 Invalid");
    expect(refused(() => state.replace(PODS, web, { body: { ...made, metadata: { ...made.metadata, uid: "x" } } }))).toBe("409 Conflict");
  });
});

describe("ApiState deletions", () => {
  test("a pod on a node is marked first and gone when its kubelet has ended it; one without a node goes at once", async () => {
    state.create(PODS, { metadata: { name: "web" }, spec: { nodeName: "n1", containers: [] } }, "shop");
    const { object, isGone } = state.delete(PODS, web);
    expect([isGone, object.metadata.deletionGracePeriodSeconds]).toEqual([false, 30]);
    await clock.advance(999);
    expect(state.list(PODS).length).toBe(1);
    await clock.advance(1);
    expect(state.list(PODS)).toEqual([]);
    state.create(PODS, { metadata: { name: "web" }, spec: { containers: [] } }, "shop");
    expect(state.delete(PODS, web).isGone).toBe(true);
  });

  test("preconditions of uid and resourceVersion hold", () => {
    const { metadata } = state.create(NODES, { metadata: { name: "n" } });
    expect(refused(() => state.delete(NODES, { name: "n" }, { uid: "other" }))).toBe("409 Conflict");
    expect(refused(() => state.delete(NODES, { name: "n" }, { resourceVersion: "1" }))).toBe("409 Conflict");
    expect(state.delete(NODES, { name: "n" }, { uid: metadata.uid, resourceVersion: metadata.resourceVersion }).isGone).toBe(true);
  });

  test("finalizers keep an object until the last one goes", () => {
    state.create(CLONE_SETS, { metadata: { name: "web", finalizers: ["a/b"] } }, "shop");
    expect(state.delete(CLONE_SETS, web).object.metadata.deletionTimestamp).toBeDefined();
    expect(state.get(CLONE_SETS, web).metadata.finalizers).toEqual(["a/b"]);
    state.patch(CLONE_SETS, web, mergePatch({ metadata: { finalizers: null } }));
    expect(state.list(CLONE_SETS)).toEqual([]);
  });

  test("what an owner leaves behind is deleted; orphans and what has another owner lose the reference only", async () => {
    const owner = state.create(CLONE_SETS, { metadata: { name: "web" } }, "shop").metadata;
    const owned = (name: string, ...uids: readonly string[]): void => {
      const ownerReferences = uids.map((uid) => ({ apiVersion: "a", kind: "b", name: "c", uid }));
      state.create(PODS, { metadata: { name, ownerReferences }, spec: { containers: [] } }, "shop");
    };
    owned("only", owner.uid);
    owned("shared", owner.uid, "other");
    state.delete(CLONE_SETS, web);
    await clock.advance(100);
    expect(state.list(PODS).map(({ metadata }) => [metadata.name, metadata.ownerReferences?.length])).toEqual([["shared", 1]]);
    const second = state.create(CLONE_SETS, { metadata: { name: "web" } }, "shop").metadata;
    owned("orphan", second.uid);
    state.delete(CLONE_SETS, web, { propagationPolicy: "Orphan" });
    await clock.advance(100);
    expect(state.get(PODS, { namespace: "shop", name: "orphan" }).metadata.ownerReferences).toBeUndefined();
  });
});
